public import MetricsCore
import Reactor

/// The statistics and present state of a client.
public struct RedisClientSnapshot: Sendable {
    /// True if commands are sent immediately.
    public var isConnected = false
    /// The number of sent commands, including repetitions.
    public var commands: UInt64 = 0
    /// Failures by `RedisFailure`.
    public var failures = [UInt64](repeating: 0, count: RedisFailure.allCases.count)
    /// Refused commands by `RedisRefusal`.
    public var refusals = [UInt64](repeating: 0, count: RedisRefusal.allCases.count)
    /// The number of commands without an outcome.
    public var openCommands = 0
    /// The times from a command's hand-over to its connection until the reply.
    public var roundTrips = HistogramSnapshot()
    /// The number of established and authenticated connections.
    public var connectionsOpened: UInt64 = 0
    /// The number of these connections that ended unexpectedly.
    public var connectionsLost: UInt64 = 0
    /// The number of failed connection attempts.
    public var attemptsFailed: UInt64 = 0
    /// The counts of a cluster. With a single server only `replicated` and `unreplicated` grow.
    public var cluster = RedisClusterCounts()

    public init() {}
}

extension RedisClient {
    /// Returns the statistics, from any thread. All zero after the reactor has stopped.
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
