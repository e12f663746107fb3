public import TimeCore

/// Opening what is needed, and watching the clock.
extension ConnectionPool {
    /// Connections for ordinary pushes that take streams or may come to it.
    var liveCount: Int {
        connections.reduce(0) { $0 + ($1.map { $0.isDraining || $0.isSick || $0.purpose != .ordinary ? 0 : 1 } ?? 0) }
    }

    /// A timer asked for has fired, perhaps too early.
    public mutating func timerFired(now: MonotonicTime, random: UInt64) {
        scheduled = nil
        for id in identifiers {
            connections[id.slot]?.window.timePassed(now)
            guard let connection = self[id] else { continue }
            if let deadline = shutDeadline(connection), deadline <= now {
                if !connection.hasAnswered { failed(connection, now, random) }
                drain(id, .shut, now)
            } else if connection.nextDeadline(configuration) <= now {
                deadlinePassed(id, connection, now, random)
            }
        }
        ejectSick(now)
        arrange(now)
    }

    /// The time at which a blocked connection is replaced; nil if it is open, or no push waits for it.
    private func shutDeadline(_ connection: PooledConnection) -> MonotonicTime? {
        let isWanted = connection.purpose == .ordinary ? waiting > 0 : suspects > 0
        guard isWanted, connection.state == .ready, let since = connection.blockedSince else { return nil }
        return since + configuration.shutTimeout
    }

    private mutating func deadlinePassed(
        _ id: ConnectionID, _ connection: PooledConnection, _ now: MonotonicTime, _ random: UInt64
    ) {
        switch connection.state {
        case .opening, .awaitingSettings:
            failed(connection, now, random)
            forget(id)
            act(.close(id, .attemptTimedOut))
        case .draining:
            orderlyEndReached(connection, now)
            forget(id)
            act(.close(id, .drainTimedOut))
        case .ready:
            if let pingDeadline = connection.pingDeadline, pingDeadline <= now {
                forget(id)
                if !connection.hasAnswered { failed(connection, now, random) }
                act(.close(id, .pingTimedOut))
            } else if connection.open > 0, connection.lastProgress + configuration.stallTimeout <= now {
                if !connection.hasAnswered { failed(connection, now, random) }
                drain(id, .stalled, now)
            } else if let idle = connection.idleDeadline(configuration), idle <= now {
                forget(id)
                act(.close(id, .idle))
                // An unused connection is not opened again before it is needed.
                floor = min(floor, liveCount)
            } else if connection.pingDeadline == nil {
                connections[id.slot]?.pingDeadline = now + configuration.pingTimeout
                act(.ping(id))
            }
        }
    }

    /// Opens the connections that are needed and allowed, and asks for the next timer.
    mutating func arrange(_ now: MonotonicTime) {
        guard !isShutDown else { return }
        var waitsForAttempt = false
        while let purpose = neededConnection(now) {
            if failures > 0, now < nextAttempt {
                waitsForAttempt = true
                break
            }
            guard let id = insert(purpose, now: now) else { break }
            act(.open(id))
        }
        var next: MonotonicTime? = waitsForAttempt ? nextAttempt : nil
        for connection in connections {
            guard let connection else { continue }
            var deadline = connection.nextDeadline(configuration)
            if let shutDeadline = shutDeadline(connection) { deadline = min(deadline, shutDeadline) }
            next = next.map { min($0, deadline) } ?? deadline
        }
        if hasSick, now < nextEjection { next = next.map { min($0, nextEjection) } ?? nextEjection }
        if let next { wake(at: max(next, now)) }
    }

    private var hasSick: Bool { connections.contains { $0.map { $0.isSick && $0.state == .ready } ?? false } }

    mutating func wake(at time: MonotonicTime) {
        if let scheduled, scheduled <= time { return }
        scheduled = time
        act(.schedule(time))
    }

    private func neededConnection(_ now: MonotonicTime) -> ConnectionPurpose? {
        if hasPlace(.ordinary), needsConnection(now) { return .ordinary }
        // Only where ordinary pushes get through: a connection for the others alone would be of no use.
        guard suspects > 0, !hasLive(.suspects), hasPlace(.suspects), let experiencedLimit, experiencedLimit > 0 else {
            return nil
        }
        return failures > 0 && connections.contains { $0?.isAttempt ?? false } ? nil : .suspects
    }

    private func needsConnection(_ now: MonotonicTime) -> Bool {
        var live = 0
        var attempts = 0
        var prospective = 0
        var unused = 0
        for connection in connections {
            // A sick connection stays until it is replaced.
            guard let connection, !connection.isDraining, !connection.isSick else { continue }
            guard connection.purpose == .ordinary else {
                if connection.isAttempt { attempts += 1 }
                continue
            }
            live += 1
            unused += connection.unused
            if connection.isAttempt { attempts += 1 }
            // A server may allow a single stream until it has answered the first push.
            if connection.isAttempt || !connection.hasAnswered { prospective += 1 }
        }
        guard live < configuration.maximumConnections else { return false }
        let isUnproven = failures > 0 || experiencedLimit == nil
        if isUnproven, attempts > 0 { return false }
        let expected = max(experiencedLimit ?? 0, configuration.assumedStreamLimit)
        if waiting - unused > prospective * expected { return true }
        guard let lastStreamOpened, now - lastStreamOpened < configuration.replacementWindow else { return false }
        return live < floor
    }
}
