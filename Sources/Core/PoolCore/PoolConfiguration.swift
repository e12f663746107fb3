public import TimeCore

/// The settings of a connection pool.
public struct PoolConfiguration: Sendable {
    /// The maximum number of connections that accept streams, without one for suspects. As many more may be draining.
    public var maximumConnections = 8
    /// The maximum time from the start of an attempt to the server's SETTINGS.
    public var attemptTimeout = TimeInterval.seconds(15)
    /// The time without received bytes after which a PING is sent.
    public var idlePingInterval = TimeInterval.seconds(60)
    /// The time without streams after which a connection is closed; nil disables it.
    public var idleTimeout: TimeInterval?
    /// The time after which an unanswered PING means that the connection is dead.
    public var pingTimeout = TimeInterval.seconds(10)
    /// The time without answers after which a connection with open streams is replaced as suspect.
    public var stallTimeout = TimeInterval.seconds(15)
    /// A connection with an answer this recent is not blamed for a stream that it never answers.
    public var answersLately = TimeInterval.seconds(1)
    /// The time without allowed streams after which a connection is replaced, if pushes wait.
    public var shutTimeout = TimeInterval.seconds(1)
    /// The maximum wait for the open streams of a draining connection.
    public var drainTimeout = TimeInterval.seconds(15)
    /// A lost connection is replaced without new demand if a stream was opened this recently.
    public var replacementWindow = TimeInterval.seconds(300)
    /// The number of streams after which a connection is replaced. HTTP/2 allows 2^30 (RFC 9113, section 5.1.1).
    public var maximumStreamsPerConnection = 1 << 29
    /// The assumed stream limit before SETTINGS arrive, until a connection had a higher one.
    public var assumedStreamLimit = 100
    /// An upper bound of the server's stream limit, because memory is reserved for each stream.
    public var highestStreamLimit = 16_384
    /// The stream window of a connection that has not answered yet.
    public var initialWindow = 16
    /// The number of troubles in a row, with many bad answers, after which a connection is replaced.
    public var troublesToEject = 4
    /// The number of rejected pushes in a row, with many bad answers, after which a connection is replaced. The last
    /// answer on another connection must be a success.
    public var rejectionsToEject = 20
    /// The minimum time between two replacements.
    public var ejectionInterval = TimeInterval.seconds(1)
    /// The loss of an unused connection is not a failure after it was ready for this long.
    public var steadyTime = TimeInterval.seconds(5)
    /// The pauses between failing connection attempts.
    public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))

    public init() {}

    /// The maximum number of connections of all states.
    public var slotCount: Int { max(1, maximumConnections) * 2 + 2 }
}
