public import TimeCore

/// What a client may take its time for, and how much may wait in it.
public struct RedisClientOptions: Sendable {
    /// How long a command may take that names no deadline of its own.
    public var commandDeadline: TimeInterval = .seconds(5)
    /// From the look-up of the host's name until PING is answered.
    public var connectDeadline: TimeInterval = .seconds(2)
    /// How long to wait between attempts to connect.
    public var backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))
    /// How many commands may wait and be in flight together; the next one is `overloaded`.
    public var commandLimit = 200_000
    /// Loaded into the server on every connect, so that calls of them keep their place in a pipeline.
    public var scripts: [RedisScript] = []
    /// Whether a server that is a node of a cluster leads to the others. When false the client talks to this one server
    /// alone, whatever it is: for what is said to a certain node.
    public var followsCluster = true
    /// The number of replicas of a single server that must have a write of `RedisCommand.replicated(within:)`. Nil for
    /// one if `RedisClient.replicasFound` has reported any, else none.
    public var replicasToWait: Int?
    /// A harmless write ahead of a wait for replicas of a single server. With nil the client never waits there.
    public var replicaMark: RedisCommand?
    /// False accepts a replica outside of a cluster, for clients that only read.
    public var needsPrimary = true
    /// Spreads the attempts of many clients: numbers from 0 up to 1. Called on the reactor.
    public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// What the user must be allowed. Asked on every connection before anything else is sent on it; while something is
    /// missing no script is sent, so that none is refused half-way.
    public var rights: RedisRights?
    /// Called on the reactor with each command that a server refuses: its kind, and the server's words (see
    /// `RedisRefusal.words`).
    public var refused: (@Sendable (RedisRefusal, String) -> Void)?
    /// Called on the reactor when it turns out that rights are missing, that others are, or that none is any more.
    public var rightsChanged: (@Sendable (MissingRights?) -> Void)?
    /// Called on the reactor with every new state.
    public var stateChanged: (@Sendable (RedisConnectionState) -> Void)?

    public init() {}
}
