public import MetricsCore
import Reactor

/// What a client has done since it was made, and what it is doing.
public struct RedisClientSnapshot: Sendable {
    /// Whether commands are sent at once.
    public var isConnected = false
    /// Commands that were sent, each time that they were.
    public var commands: UInt64 = 0
    /// By `RedisFailure`.
    public var failures = [UInt64](repeating: 0, count: RedisFailure.allCases.count)
    /// Commands that a server refused, by `RedisRefusal`.
    public var refusals = [UInt64](repeating: 0, count: RedisRefusal.allCases.count)
    /// Commands without an outcome yet.
    public var openCommands = 0
    /// From when a command was given to its connection until its reply came.
    public var roundTrips = HistogramSnapshot()
    /// Connections that were made and signed in.
    public var connectionsOpened: UInt64 = 0
    /// Of these, those that ended by themselves.
    public var connectionsLost: UInt64 = 0
    /// Attempts to connect that failed.
    public var attemptsFailed: UInt64 = 0
    /// What only a cluster makes necessary. All zero with one server.
    public var cluster = RedisClusterCounts()

    public init() {}
}

extension RedisClient {
    /// Taken on the reactor; may be called from anywhere. All zero when the reactor has stopped.
    public func snapshot() async -> RedisClientSnapshot {
        await reactor.call(stopped: RedisClientSnapshot()) { done in done(self.currentSnapshot()) }
    }

    private func currentSnapshot() -> RedisClientSnapshot {
        var snapshot = RedisClientSnapshot()
        snapshot.isConnected = connectionState == .connected
        snapshot.commands = metrics.commands
        snapshot.failures = metrics.failures
        snapshot.refusals = metrics.refusals
        snapshot.openCommands = router?.openCalls ?? node.openCalls
        snapshot.roundTrips = metrics.roundTrips.snapshot()
        snapshot.connectionsOpened = metrics.connectionsOpened
        snapshot.connectionsLost = metrics.connectionsLost
        snapshot.attemptsFailed = metrics.attemptsFailed
        snapshot.cluster = clusterCounts
        return snapshot
    }
}
