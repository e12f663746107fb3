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

    /// Records the server's limit of concurrent streams; nil means no limit. It may arrive at any time, and be lower
    /// than the number of open streams.
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

    /// Records that bytes arrived from the server.
    public mutating func bytesReceived(_ id: ConnectionID, now: MonotonicTime) {
        guard has(id) else { return }
        connections[id.slot]?.lastReceived = now
    }

    /// Records the answer to a PING.
    public mutating func pingAcknowledged(_ id: ConnectionID, now: MonotonicTime) {
        guard has(id) else { return }
        connections[id.slot]?.pingDeadline = nil
        connections[id.slot]?.lastReceived = now
    }

    /// Records that the transport has started or stopped accepting bytes.
    public mutating func writabilityChanged(_ id: ConnectionID, isWritable: Bool) {
        guard has(id) else { return }
        connections[id.slot]?.isWritable = isWritable
    }

    /// Records that the server accepts no more streams. The driver has called `streamsEnded` for streams that the
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

    /// Records an answer after which the connection accepts no more requests.
    public mutating func connectionSuspected(_ id: ConnectionID, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id], connection.state == .ready else { return }
        // Without a pause, a server that ends every connection like this would cause reconnects in a tight loop.
        failed(connection, now, random)
        drain(id, .suspected, now)
        arrange(now)
    }

    /// Replaces this connection for a local reason.
    public mutating func connectionOutdated(_ id: ConnectionID, now: MonotonicTime) {
        guard let connection = self[id], connection.state == .ready else { return }
        drain(id, .suspected, now)
        arrange(now)
    }

    /// Records that the connection or the attempt ended unexpectedly. The driver ends its streams.
    public mutating func connectionLost(_ id: ConnectionID, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id] else { return }
        forget(id)
        if isFailure(connection, now) { failed(connection, now, random) }
        arrange(now)
    }

    /// Closes all connections and opens no more.
    public mutating func shutdownRequested() {
        isShutDown = true
        waiting = 0
        for id in identifiers {
            forget(id)
            act(.close(id, .shutDown))
        }
    }

    /// True if the connection's end counts as a failed attempt: it never answered. The backoff then limits reconnects
    /// to a server that accepts and closes. An unused connection that was ready for `steadyTime` is exempt, because
    /// servers close idle connections.
    private func isFailure(_ connection: PooledConnection, _ now: MonotonicTime) -> Bool {
        guard !connection.hasAnswered else { return false }
        guard let since = connection.readySince, connection.started == 0 else { return true }
        return now - since < configuration.steadyTime
    }

    /// Counts a failure if a connection ends without a single answer although its GOAWAY was orderly.
    mutating func orderlyEndReached(_ connection: PooledConnection, _ now: MonotonicTime) {
        if let random = connection.orderlyEnd, !connection.hasAnswered { failed(connection, now, random) }
    }

    /// Counts a failure once. Attempts that began before it and fail for the same reason are part of it.
    mutating func failed(_ connection: PooledConnection, _ now: MonotonicTime, _ random: UInt64) {
        if failures > 0, let lastFailure, connection.openedAt <= lastFailure { return }
        lastFailure = now
        failures += 1
        nextAttempt = max(nextAttempt, now + configuration.backoff.pause(after: failures).cut(random: random))
    }

    /// Stops new streams on a connection. Call `arrange` after all simultaneous events were processed.
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
