import TimeCore

/// The connections to one provider with one credential, as a pure state machine: events in, actions out.
///
/// Owns: the number of connections and their states; open streams against the server's limit; backoff; liveness (PING,
/// stalls); draining and replacement. Does not own: sockets, stream numbers, pushes and their deadlines, retries after
/// a loss, provider tokens. Healthy connections are kept open without work, as providers want, unless `idleTimeout` is
/// set.
///
/// Events are methods; after each, take the actions with `nextAction`. Time and randomness are arguments. Events of
/// closed connections are ignored, because the driver may report them late.
///
/// Invariants:
/// 1. At most `maximumConnections` connections for ordinary pushes are neither draining nor sick, and one for suspects;
///    at most `slotCount` exist.
/// 2. A stream is placed only on a `ready` connection with fewer open streams than the server's limit and its window.
///    Among those of its purpose without trouble since their last success, the one with the fewest is used.
/// 3. While attempts fail, and before the first success, there is at most one attempt at a time.
/// 4. After a failure no attempt begins before its backoff, or the shortest backoff for the first work after a time
///    without any. Losses of connections that began before the last failure are part of it.
/// 5. A draining connection never takes a stream again; it ends with its last stream or at its deadline.
/// 6. Every connection that is not `ready` has a deadline, and a silent `ready` one gets a PING, so no state lasts
///    without a sign of life. One to which the server allows no stream is replaced while pushes wait.
/// 7. While a deadline exists, a timer that is not later is scheduled.
/// 8. A failing ordinary connection is ejected only while another one accepts streams and has no trouble. If all fail,
///    the circuit breaker decides.
public struct ConnectionPool: Sendable {
    /// The configuration, unchanged.
    public let configuration: PoolConfiguration

    var connections: [PooledConnection?]
    /// Failures in a row.
    public internal(set) var failures = 0
    var nextAttempt = MonotonicTime(nanoseconds: 0)
    /// The time of the last counted failure.
    var lastFailure: MonotonicTime?
    var nextEjection = MonotonicTime(nanoseconds: 0)
    /// The number of connections that were replaced because they failed while others served.
    public internal(set) var ejections: UInt64 = 0
    /// The number of pushes without a free stream.
    var waiting = 0
    /// The number of pushes to suspect tokens without a free stream.
    var suspects = 0
    /// The highest stream limit of any connection so far.
    var experiencedLimit: Int?
    /// The number of connections that recent demand required.
    var floor = 0
    var lastStreamOpened: MonotonicTime?
    var scheduled: MonotonicTime?
    /// True if the pool opens no more connections.
    public internal(set) var isShutDown = false

    private var generation: UInt32 = 0
    private var actions: [PoolAction] = []
    private var actionsTaken = 0

    /// Creates a pool without connections.
    public init(_ configuration: PoolConfiguration) {
        self.configuration = configuration
        connections = Array(repeating: nil, count: configuration.slotCount)
    }

    // MARK: Reading

    /// The number of streams that could be opened now on connections for ordinary pushes.
    public var freeStreams: Int {
        var sum = 0
        for connection in connections where connection?.purpose == .ordinary { sum += connection?.free ?? 0 }
        return sum
    }

    /// True if a stream could be opened now on a connection for ordinary pushes.
    public var hasFreeStream: Bool {
        for connection in connections where connection?.purpose == .ordinary && (connection?.free ?? 0) > 0 {
            return true
        }
        return false
    }

    /// The number of connections for ordinary pushes that accept streams, with or without room.
    public var readyCount: Int {
        connections.reduce(0) { $0 + ($1.map { $0.isServing && $0.purpose == .ordinary } ?? false ? 1 : 0) }
    }

    /// The number of streams earned by answers on connections for ordinary pushes, at most `limit` each.
    public func earnedStreams(ofEach limit: Int) -> Int {
        var sum = 0
        for connection in connections where connection?.purpose == .ordinary {
            sum += min(connection?.earned ?? 0, limit)
        }
        return sum
    }

    /// True if this connection is the only one for ordinary pushes that accepts streams.
    public func isAlone(_ id: ConnectionID) -> Bool {
        !connections.indices.contains { slot in
            slot != id.slot && (connections[slot].map { $0.isServing && $0.purpose == .ordinary } ?? false)
        }
    }

    /// The connection's state; nil after its end.
    public func state(_ id: ConnectionID) -> PooledConnectionState? { self[id]?.state }

    /// The number of a connection's open streams; 0 after its end.
    public func openStreams(_ id: ConnectionID) -> Int { self[id]?.open ?? 0 }

    /// The server's stream limit of a connection; 0 after its end.
    public func streamLimit(_ id: ConnectionID) -> Int { self[id]?.limit ?? 0 }

    /// All connections.
    public var identifiers: [ConnectionID] {
        connections.indices.compactMap { slot in
            connections[slot].map { ConnectionID(slot: slot, generation: $0.generation) }
        }
    }

    /// The number of streams that could be opened on this connection now, before it is retired.
    public func room(_ id: ConnectionID) -> Int {
        guard let connection = self[id] else { return 0 }
        return min(connection.free, configuration.maximumStreamsPerConnection - connection.started)
    }

    /// Returns the connection for the next stream: the least loaded one of this purpose with room. Suspects share
    /// ordinary connections while they cannot have their own.
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

    /// True if a connection of this purpose accepts streams or may do so later.
    func hasLive(_ purpose: ConnectionPurpose) -> Bool {
        connections.contains { $0.map { $0.purpose == purpose && !$0.isDraining } ?? false }
    }

    /// The connection's purpose; nil after its end.
    public func purpose(_ id: ConnectionID) -> ConnectionPurpose? { self[id]?.purpose }

    // MARK: Actions

    /// Removes and returns the oldest action.
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

    /// True if a slot is free for another connection. The last slot is reserved for suspects. Sick connections stay
    /// until they are replaced, so they may occupy all ordinary slots.
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
