public import TimeCore

/// The score of a connection: troubles in a row, the window that its answers earn, and answers outstanding, which tell
/// how slow it is.
extension ConnectionPool {
    /// A stream has ended by an answer that speaks of the server's state: it is answered, and not served.
    public mutating func streamTroubled(_ id: ConnectionID, now: MonotonicTime) {
        streamAnswered(id, now)
        guard has(id) else { return }
        noteTrouble(id, now)
        arrange(now)
    }

    /// The server has reset a stream in the middle: it is not answered, and speaks of the server's state.
    public mutating func streamReset(_ id: ConnectionID, now: MonotonicTime) {
        streamsEnded(id, 1, answered: false, now: now)
        guard has(id) else { return }
        noteTrouble(id, now)
        arrange(now)
    }

    /// A stream has ended by an answer that speaks of its push. A connection that gives many in a row, while another
    /// one serves, is the one that is wrong.
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

    /// An answer that is not a good one is a sign of life, and earns nothing.
    private mutating func streamAnswered(_ id: ConnectionID, _ now: MonotonicTime) {
        guard let connection = self[id] else { return }
        streamsEnded(id, 1, answered: true, now: now)
        guard has(id) else { return }
        connections[id.slot]?.troubles = connection.troubles
        connections[id.slot]?.rejections = connection.rejections
        connections[id.slot]?.lately = connection.lately
        connections[id.slot]?.window = connection.window
    }

    /// Whether this connection fails while others serve.
    public func isSick(_ id: ConnectionID) -> Bool { self[id]?.isSick ?? false }

    /// Streams have ended without being processed: the server takes fewer than it said.
    /// - Parameter repeated: how many of them were of pushes that had been refused before, which says less of the
    ///   server.
    public mutating func streamsRefused(_ id: ConnectionID, _ count: Int, repeated: Int = 0, now: MonotonicTime) {
        guard count > 0, let connection = self[id] else { return }
        streamsEnded(id, count, answered: false, now: now)
        guard has(id) else { return }
        guard count > repeated else { return }
        connections[id.slot]?.window.refused(count - repeated, open: connection.open, now: now)
        if let until = connections[id.slot]?.window.closedUntil { wake(at: until) }
    }

    /// Whether this connection serves more streams than it refuses, so that a push that it refuses again and again is
    /// to blame itself.
    public func servesMost(_ id: ConnectionID) -> Bool { self[id]?.window.servesMost ?? false }

    /// Every connection is to carry half of what it does.
    public mutating func slowDown() {
        for slot in connections.indices { connections[slot]?.window.halve() }
    }

    /// Every connection is to begin with few streams again.
    public mutating func startSlowly() {
        for slot in connections.indices { connections[slot]?.window.restart() }
    }

    mutating func noteTrouble(_ id: ConnectionID, _ now: MonotonicTime) {
        guard state(id) == .ready else { return }
        connections[id.slot]?.remember(bad: 1)
        guard let connection = self[id] else { return }
        let troubles = connection.servesNearlyAll ? 1 : connection.troubles + 1
        connections[id.slot]?.troubles = troubles
        // A single one may be anybody's.
        if troubles > 1 { connections[id.slot]?.window.halve() }
        guard troubles >= configuration.troublesToEject else { return }
        connections[id.slot]?.isSick = true
        ejectSick(now)
    }

    /// Replaces one sick connection. Only while another one serves, so never the last; and not several at once, so that
    /// a provider that is out of order altogether does not lose all its connections before that is known.
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
