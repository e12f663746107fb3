import Reactor

/// What a client has seen of a cluster since it was made.
public struct RedisClusterCounts: Equatable, Sendable {
    /// Commands that a node sent on to another one (MOVED and ASK).
    public internal(set) var redirections = 0
    /// Commands that waited because their slot had no node that could serve, or were sent again after a pause.
    public internal(set) var delays = 0
    /// How often the topology was asked for with success.
    public internal(set) var refreshes = 0
    /// Commands of `RedisCommand.replicated(within:)` that a replica acknowledged, in a cluster or of a single server.
    public internal(set) var replicated = 0
    /// Such commands that succeeded without a replica's acknowledgement in time: should their node fail, they may be
    /// lost.
    public internal(set) var unreplicated = 0
}

/// Written on the reactor, read anywhere.
final class ClusterCounter: Sendable {
    private let counts = Locked(RedisClusterCounts())

    var value: RedisClusterCounts { counts.withLock { $0 } }

    func change(_ body: (inout RedisClusterCounts) -> Void) {
        counts.withLock { body(&$0) }
    }
}
