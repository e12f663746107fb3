import Reactor

/// The counts of a cluster since the client was created.
public struct RedisClusterCounts: Equatable, Sendable {
    /// Commands that a node redirected to another one (MOVED and ASK).
    public internal(set) var redirections = 0
    /// Commands that waited because no node could serve their slot, or that were sent again after a pause.
    public internal(set) var delays = 0
    /// Successful topology queries.
    public internal(set) var refreshes = 0
    /// Commands of `RedisCommand.replicated(within:)` that a replica acknowledged, in a cluster or of a single server.
    public internal(set) var replicated = 0
    /// Commands of `RedisCommand.replicated(within:)` that succeeded without a replica's acknowledgement in time. They
    /// may be lost if their node fails.
    public internal(set) var unreplicated = 0
}

/// Written on the reactor, read from any thread.
final class ClusterCounter: Sendable {
    private let counts = Locked(RedisClusterCounts())

    var value: RedisClusterCounts { counts.withLock { $0 } }

    func change(_ body: (inout RedisClusterCounts) -> Void) {
        counts.withLock { body(&$0) }
    }
}
