public import TimeCore

/// The deadlines and limits of a client.
public struct RedisClientOptions: Sendable {
    /// The deadline of a command without its own.
    public var commandDeadline: TimeInterval = .seconds(5)
    /// The time from resolving the host's name until the reply to PING.
    public var connectDeadline: TimeInterval = .seconds(2)
    /// The pauses between connection attempts.
    public var backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))
    /// The maximum number of pending and in-flight commands; the next one fails with `overloaded`.
    public var commandLimit = 200_000
    /// The scripts to load on every connect, so that their calls keep their place in a pipeline.
    public var scripts: [RedisScript] = []
    /// True if the client follows a cluster node to the other nodes. False sends all commands to this server only.
    public var followsCluster = true
    /// The number of replicas of a single server that must have a write of `RedisCommand.replicated(within:)`. Nil
    /// means one if `RedisClient.replicasFound` has reported any, otherwise none.
    public var replicasToWait: Int?
    /// A harmless write before a wait for replicas of a single server. With nil the client never waits there.
    public var replicaMark: RedisCommand?
    /// False accepts a replica outside of a cluster, for clients that only read.
    public var needsPrimary = true
    /// Random numbers from 0 to below 1, which spread the attempts of many clients. Called on the reactor.
    public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// The rights that the user needs. They are checked first on every connection. While any is missing no script is
    /// sent, so that none fails halfway.
    public var rights: RedisRights?
    /// Called on the reactor with each refused command: the kind, and the server's words (see `RedisRefusal.words`).
    public var refused: (@Sendable (RedisRefusal, String) -> Void)?
    /// Called on the reactor when the set of missing rights changes; nil if none is missing.
    public var rightsChanged: (@Sendable (MissingRights?) -> Void)?
    /// Called on the reactor with each new state.
    public var stateChanged: (@Sendable (RedisConnectionState) -> Void)?

    public init() {}
}
