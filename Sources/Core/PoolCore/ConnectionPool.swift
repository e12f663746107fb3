import TimeCore

/// The connections to one provider with one credential, as a pure machine: events in, actions out.
///
/// Owns: how many connections there are and what each one is; the count of its open streams against the server's
/// limit; backoff; liveness (PING, stalls); draining and replacement.
/// Does not own, on purpose: sockets, stream numbers, pushes and their deadlines, which push goes again after a loss,
/// provider tokens. It never closes a healthy connection for want of work: providers want connections kept.
///
/// Events are methods in the past tense; after each, take the actions with `nextAction`. Time and randomness are
/// arguments. An event of a connection that is gone is passed over, because the driver learns of an end later than
/// the pool decides it.
///
/// Invariants:
/// 1. At most `maximumConnections` connections for ordinary pushes are neither draining nor sick, and one for suspects;
///    at most `slotCount` exist.
/// 2. A stream is placed only on a `ready` connection with fewer open streams than the server's limit and its own
///    window, and of its purpose on the one with the fewest among those that had no trouble since their last good
///    answer.
/// 3. While attempts fail, and before the first has succeeded, there is at most one attempt at a time.
/// 4. After a failure no attempt begins before its backoff has passed, or, for the first work after a time without any,
///    before the shortest one. Losses of connections that were begun before the last failure are part of it.
/// 5. A draining connection never takes a stream again; it ends with its last stream or at its deadline.
/// 6. Every connection that is not `ready` has a deadline, and a `ready` one is asked when silent, so no state lasts
///    for ever without a sign of life. One that the server allows no stream is replaced while pushes wait.
/// 8. A connection that fails is ejected only while another one of its kind takes streams and had no trouble; one whose
///    connections all fail is left to whoever looks after the provider.
/// 7. As long as anything has a deadline, a timer that is not later has been asked for.
public struct ConnectionPool: Sendable {
    /// As it was given.
    public let configuration: PoolConfiguration

    var connections: [PooledConnection?]
    /// Failures in a row.
    public internal(set) var failures = 0
    var nextAttempt = MonotonicTime(nanoseconds: 0)
    /// When the last failure was counted.
    var lastFailure: MonotonicTime?
    var nextEjection = MonotonicTime(nanoseconds: 0)
    /// Connections that were replaced because they failed while others served.
    public internal(set) var ejections: UInt64 = 0
    /// Pushes that found no room.
    var waiting = 0
    /// Pushes to suspect tokens that found no room.
    var suspects = 0
    /// The highest stream limit that any connection had.
    var experiencedLimit: Int?
    /// How many connections recent need has called for.
    var floor = 0
    var lastStreamOpened: MonotonicTime?
    var scheduled: MonotonicTime?
    /// Whether it opens nothing any more.
    public internal(set) var isShutDown = false

    private var generation: UInt32 = 0
    private var actions: [PoolAction] = []
    private var actionsTaken = 0

    /// A pool without connections.
    public init(_ configuration: PoolConfiguration) {
        self.configuration = configuration
        connections = Array(repeating: nil, count: configuration.slotCount)
    }

    // MARK: Reading

    /// Streams that could be opened now on connections for ordinary pushes.
    public var freeStreams: Int {
        var sum = 0
        for connection in connections where connection?.purpose == .ordinary { sum += connection?.free ?? 0 }
        return sum
    }

    /// Whether a stream could be opened now on a connection for ordinary pushes.
    public var hasFreeStream: Bool {
        for connection in connections where connection?.purpose == .ordinary && (connection?.free ?? 0) > 0 {
            return true
        }
        return false
    }

    /// Connections for ordinary pushes that take streams, whether they have room now or not.
    public var readyCount: Int {
        connections.reduce(0) { $0 + ($1.map { $0.isServing && $0.purpose == .ordinary } ?? false ? 1 : 0) }
    }

    /// Streams that connections for ordinary pushes have earned by their answers, open or not, at most so many of each.
    public func earnedStreams(ofEach limit: Int) -> Int {
        var sum = 0
        for connection in connections where connection?.purpose == .ordinary {
            sum += min(connection?.earned ?? 0, limit)
        }
        return sum
    }

    /// Whether this connection is the only one for ordinary pushes that takes streams.
    public func isAlone(_ id: ConnectionID) -> Bool {
        !connections.indices.contains { slot in
            slot != id.slot && (connections[slot].map { $0.isServing && $0.purpose == .ordinary } ?? false)
        }
    }

    /// Nil when the connection is gone.
    public func state(_ id: ConnectionID) -> PooledConnectionState? { self[id]?.state }

    /// Streams of a connection that have not ended; 0 for one that is not there.
    public func openStreams(_ id: ConnectionID) -> Int { self[id]?.open ?? 0 }

    /// How many streams the server allows on a connection; 0 for one that is not there.
    public func streamLimit(_ id: ConnectionID) -> Int { self[id]?.limit ?? 0 }

    /// All connections.
    public var identifiers: [ConnectionID] {
        connections.indices.compactMap { slot in
            connections[slot].map { ConnectionID(slot: slot, generation: $0.generation) }
        }
    }

    /// Streams that could be opened on this connection now, before it is retired.
    public func room(_ id: ConnectionID) -> Int {
        guard let connection = self[id] else { return 0 }
        return min(connection.free, configuration.maximumStreamsPerConnection - connection.started)
    }

    /// Where the next stream belongs: the least loaded connection of this purpose with room. Suspects go among the
    /// others while they can have no connection of their own.
    public func leastLoaded(_ purpose: ConnectionPurpose = .ordinary) -> ConnectionID? {
        let id = leastLoadedOnly(purpose)
        guard id == nil, purpose == .suspects, failures > 0, !hasLive(.suspects) else { return id }
        return leastLoadedOnly(.ordinary)
    }

    private func leastLoadedOnly(_ purpose: ConnectionPurpose) -> ConnectionID? {
        var best = -1
        var fewest = Int.max
        for slot in connections.indices {
            guard let connection = connections[slot], connection.purpose == purpose, connection.free > 0,
                connection.load < fewest
            else { continue }
            best = slot
            fewest = connection.load
        }
        guard best >= 0, let connection = connections[best] else { return nil }
        return ConnectionID(slot: best, generation: connection.generation)
    }

    /// Whether a connection of this purpose takes streams or may come to it.
    func hasLive(_ purpose: ConnectionPurpose) -> Bool {
        connections.contains { $0.map { $0.purpose == purpose && !$0.isDraining } ?? false }
    }

    /// What the connection carries; nil when it is gone.
    public func purpose(_ id: ConnectionID) -> ConnectionPurpose? { self[id]?.purpose }

    // MARK: Actions

    /// The oldest action not taken yet.
    public mutating func nextAction() -> PoolAction? {
        guard actionsTaken < actions.count else {
            actions.removeAll(keepingCapacity: true)
            actionsTaken = 0
            return nil
        }
        actionsTaken += 1
        return actions[actionsTaken - 1]
    }

    mutating func act(_ action: PoolAction) {
        actions.append(action)
    }

    // MARK: Records

    subscript(id: ConnectionID) -> PooledConnection? {
        guard connections.indices.contains(id.slot), let connection = connections[id.slot],
            connection.generation == id.generation
        else { return nil }
        return connection
    }

    func has(_ id: ConnectionID) -> Bool {
        connections.indices.contains(id.slot) && connections[id.slot]?.generation == id.generation
    }

    /// A record for a new attempt; nil when all slots are taken.
    /// Whether one more has a place. The last one is for suspects: sick connections, which are there until others are,
    /// may take all that the ordinary ones have.
    func hasPlace(_ purpose: ConnectionPurpose) -> Bool {
        connections.count { $0 == nil } > (purpose == .ordinary && !hasLive(.suspects) ? 1 : 0)
    }

    mutating func insert(_ purpose: ConnectionPurpose, now: MonotonicTime) -> ConnectionID? {
        guard let slot = connections.firstIndex(where: { $0 == nil }) else { return nil }
        generation &+= 1
        connections[slot] = PooledConnection(
            generation: generation, purpose,
            window: StreamWindow(initial: configuration.initialWindow, highest: configuration.highestStreamLimit),
            now: now,
            deadline: now + configuration.attemptTimeout)
        return ConnectionID(slot: slot, generation: generation)
    }

    mutating func forget(_ id: ConnectionID) {
        connections[id.slot] = nil
    }
}
