public import TimeCore

/// Events of connections.
extension ConnectionPool {
    /// The transport is established; the server's SETTINGS are awaited.
    public mutating func connectionOpened(_ id: ConnectionID, now: MonotonicTime) {
        guard has(id) else { return }
        guard connections[id.slot]?.state == .opening else {
            preconditionFailure("connectionOpened in \(String(describing: self[id]?.state))")
        }
        connections[id.slot]?.state = .awaitingSettings
        connections[id.slot]?.lastReceived = now
    }

    /// The server has told its limit of concurrent streams; nil means that it sets none. It may come at any time, and
    /// be lower than the number of open streams.
    public mutating func settingsReceived(
        _ id: ConnectionID, maximumConcurrentStreams: UInt32?, now: MonotonicTime
    ) {
        guard let connection = self[id] else { return }
        let limit = min(maximumConcurrentStreams.map(Int.init) ?? .max, configuration.highestStreamLimit)
        connections[id.slot]?.limit = limit
        connections[id.slot]?.shutSince = limit > 0 ? nil : connection.shutSince ?? now
        experiencedLimit = max(experiencedLimit ?? 1, limit)
        switch connection.state {
        case .opening:
            preconditionFailure("settingsReceived before connectionOpened")
        case .awaitingSettings:
            connections[id.slot]?.state = .ready
            connections[id.slot]?.lastProgress = now
            connections[id.slot]?.readySince = now
            ejectSick(now)
            floor = min(max(floor, liveCount), configuration.maximumConnections)
            arrange(now)
        case .ready: if limit == 0 { arrange(now) }
        case .draining: break
        }
    }

    /// Bytes came from the server, whatever they say.
    public mutating func bytesReceived(_ id: ConnectionID, now: MonotonicTime) {
        guard has(id) else { return }
        connections[id.slot]?.lastReceived = now
    }

    /// The answer to a PING came.
    public mutating func pingAcknowledged(_ id: ConnectionID, now: MonotonicTime) {
        guard has(id) else { return }
        connections[id.slot]?.pingDeadline = nil
        connections[id.slot]?.lastReceived = now
    }

    /// The transport has begun or ceased to take bytes.
    public mutating func writabilityChanged(_ id: ConnectionID, isWritable: Bool) {
        guard has(id) else { return }
        connections[id.slot]?.isWritable = isWritable
    }

    /// The server announced that it takes no more streams. The driver has told `streamsEnded` for those that the
    /// server will not process.
    /// - Parameter isOrderly: Pass true for the code `NO_ERROR`. The open streams then show whether the server serves.
    public mutating func goAwayReceived(_ id: ConnectionID, isOrderly: Bool, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id], !connection.isDraining else { return }
        if isOrderly, connection.open > 0 {
            connections[id.slot]?.orderlyEnd = random
        } else if isFailure(connection, now) {
            failed(connection, now, random)
        }
        drain(id, .goAway, now)
        arrange(now)
    }

    /// An answer on this connection told that it will not serve any more.
    public mutating func connectionSuspected(_ id: ConnectionID, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id], connection.state == .ready else { return }
        // Without a pause a server that refuses every connection so would be called as fast as it can answer.
        failed(connection, now, random)
        drain(id, .suspected, now)
        arrange(now)
    }

    /// This connection has to be replaced for a reason of ours.
    public mutating func connectionOutdated(_ id: ConnectionID, now: MonotonicTime) {
        guard let connection = self[id], connection.state == .ready else { return }
        drain(id, .suspected, now)
        arrange(now)
    }

    /// The connection or the attempt is over, not by the pool's wish. The driver ends what was open on it.
    public mutating func connectionLost(_ id: ConnectionID, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id] else { return }
        forget(id)
        if isFailure(connection, now) { failed(connection, now, random) }
        arrange(now)
    }

    /// Closes everything and opens nothing any more.
    public mutating func shutdownRequested() {
        isShutDown = true
        waiting = 0
        for id in identifiers {
            forget(id)
            act(.close(id, .shutDown))
        }
    }

    /// One that never answered anything counts as a failed attempt, lest a server that accepts and hangs up be called
    /// without a pause. Not so when it stood for a while and was never asked: servers close what is idle.
    private func isFailure(_ connection: PooledConnection, _ now: MonotonicTime) -> Bool {
        guard !connection.hasAnswered else { return false }
        guard let since = connection.readySince, connection.started == 0 else { return true }
        return now - since < configuration.steadyTime
    }

    /// Counts a failure if a connection ends without a single answer although its GOAWAY was orderly.
    mutating func orderlyEndReached(_ connection: PooledConnection, _ now: MonotonicTime) {
        if let random = connection.orderlyEnd, !connection.hasAnswered { failed(connection, now, random) }
    }

    /// A failure is counted once: what was begun before it and fails for the same reason is part of it.
    mutating func failed(_ connection: PooledConnection, _ now: MonotonicTime, _ random: UInt64) {
        if failures > 0, let lastFailure, connection.openedAt <= lastFailure { return }
        lastFailure = now
        failures += 1
        nextAttempt = max(nextAttempt, now + configuration.backoff.pause(after: failures).cut(random: random))
    }

    /// Follow with `arrange`, once all that happened at the same time has been taken in.
    mutating func drain(_ id: ConnectionID, _ reason: DrainReason, _ now: MonotonicTime) {
        guard let connection = self[id] else { return }
        if connection.open == 0 {
            forget(id)
            act(.close(id, reason == .shut ? .shut : .drained))
        } else {
            connections[id.slot]?.state = .draining(reason)
            connections[id.slot]?.deadline = now + configuration.drainTimeout
        }
    }
}
