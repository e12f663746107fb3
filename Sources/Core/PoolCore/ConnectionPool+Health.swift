public import TimeCore

/// The health of a connection: troubles in a row, its stream window, and outstanding answers, which show its speed.
extension ConnectionPool {
    /// Records that a stream ended with an answer about the server's state: it is answered but not served.
    public mutating func streamTroubled(_ id: ConnectionID, now: MonotonicTime) {
        streamAnswered(id, now)
        guard has(id) else { return }
        noteTrouble(id, now)
        arrange(now)
    }

    /// Records that the server reset a stream: it is not answered, and the reset concerns the server's state.
    public mutating func streamReset(_ id: ConnectionID, now: MonotonicTime) {
        streamsEnded(id, 1, answered: false, now: now)
        guard has(id) else { return }
        noteTrouble(id, now)
        arrange(now)
    }

    /// Records that a stream ended with an answer about its push. If only one of several connections gives many in a
    /// row, that connection is faulty.
    public mutating func streamRejected(_ id: ConnectionID, now: MonotonicTime) {
        streamAnswered(id, now)
        guard has(id) else { return }
        connections[id.slot]?.remember(bad: 1)
        guard let connection = self[id] else { return }
        let rejections = connection.servesNearlyAll ? 1 : connection.rejections + 1
        connections[id.slot]?.rejections = rejections
        guard rejections >= configuration.rejectionsToEject, connection.purpose == .ordinary,
            connection.state == .ready, connections.contains(where: { $0?.isGood ?? false })
        else { return }
        connections[id.slot]?.isSick = true
        ejectSick(now)
        arrange(now)
    }

    /// Records an answer that is no success. It proves liveness but does not enlarge the window.
    private mutating func streamAnswered(_ id: ConnectionID, _ now: MonotonicTime) {
        guard let connection = self[id] else { return }
        streamsEnded(id, 1, answered: true, now: now)
        guard has(id) else { return }
        connections[id.slot]?.troubles = connection.troubles
        connections[id.slot]?.rejections = connection.rejections
        connections[id.slot]?.lately = connection.lately
        connections[id.slot]?.window = connection.window
    }

    /// True if this connection fails while others serve.
    public func isSick(_ id: ConnectionID) -> Bool { self[id]?.isSick ?? false }

    /// Records streams that ended unprocessed: the server accepts fewer than announced.
    /// - Parameter repeated: The number of pushes among them that were refused before. They are weaker evidence about
    ///   the server.
    public mutating func streamsRefused(_ id: ConnectionID, _ count: Int, repeated: Int = 0, now: MonotonicTime) {
        guard count > 0, let connection = self[id] else { return }
        streamsEnded(id, count, answered: false, now: now)
        guard has(id) else { return }
        guard count > repeated else { return }
        connections[id.slot]?.window.refused(count - repeated, open: connection.open, now: now)
        if let until = connections[id.slot]?.window.closedUntil { wake(at: until) }
    }

    /// True if this connection serves at least as many streams as it refuses. Then a push that it refuses repeatedly is
    /// itself the cause.
    public func servesMost(_ id: ConnectionID) -> Bool { self[id]?.window.servesMost ?? false }

    /// Halves the window of each connection.
    public mutating func slowDown() {
        for slot in connections.indices { connections[slot]?.window.halve() }
    }

    /// Returns each connection to a window of few streams.
    public mutating func startSlowly() {
        for slot in connections.indices { connections[slot]?.window.restart() }
    }

    mutating func noteTrouble(_ id: ConnectionID, _ now: MonotonicTime) {
        guard state(id) == .ready else { return }
        connections[id.slot]?.remember(bad: 1)
        guard let connection = self[id] else { return }
        let troubles = connection.servesNearlyAll ? 1 : connection.troubles + 1
        connections[id.slot]?.troubles = troubles
        // A single trouble may have any cause.
        if troubles > 1 { connections[id.slot]?.window.halve() }
        guard troubles >= configuration.troublesToEject else { return }
        connections[id.slot]?.isSick = true
        ejectSick(now)
    }

    /// Replaces one sick connection. An ordinary one needs another that serves, so the last is never replaced.
    /// Replacements are spaced, so that a provider's outage is detected before it has lost all connections.
    mutating func ejectSick(_ now: MonotonicTime) {
        guard now >= nextEjection else { return }
        for id in identifiers {
            guard let sick = self[id], sick.isSick, sick.state == .ready else { continue }
            let isReplaceable = connections.contains { other in
                other.map { $0.isServing && $0.purpose == sick.purpose && $0.troubles == 0 && !$0.isSick } ?? false
            }
            guard isReplaceable || sick.purpose == .suspects else { continue }
            nextEjection = now + configuration.ejectionInterval
            ejections += 1
            return drain(id, .sick, now)
        }
    }
}
