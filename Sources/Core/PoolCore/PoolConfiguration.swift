public import TimeCore

/// The settings of a connection pool.
public struct PoolConfiguration: Sendable {
    /// Connections that take new streams, at most, besides one for suspects. As many again may be finishing their last
    /// streams.
    public var maximumConnections = 8
    /// From the start of an attempt to the server's SETTINGS.
    public var attemptTimeout = TimeInterval.seconds(15)
    /// A connection from which nothing came for this long is asked with a PING.
    public var idlePingInterval = TimeInterval.seconds(60)
    /// A connection without a stream for this long is closed; nil: none is.
    public var idleTimeout: TimeInterval?
    /// A PING that is not answered for this long means that the connection is dead.
    public var pingTimeout = TimeInterval.seconds(10)
    /// A connection with open streams and no answer for this long is suspect and replaced.
    public var stallTimeout = TimeInterval.seconds(15)
    /// A connection that has answered a stream this recently is not blamed for one that it never answers.
    public var answersLately = TimeInterval.seconds(1)
    /// A connection that the server allows no stream for this long, while pushes wait, is replaced.
    public var shutTimeout = TimeInterval.seconds(1)
    /// How long the open streams of a connection that takes no new ones are waited for.
    public var drainTimeout = TimeInterval.seconds(15)
    /// A connection that was lost is replaced without waiting for new need, if a stream was opened this recently.
    public var replacementWindow = TimeInterval.seconds(300)
    /// A connection is replaced after this many streams. HTTP/2 allows 2^30 (RFC 9113, section 5.1.1).
    public var maximumStreamsPerConnection = 1 << 29
    /// What is assumed of a connection whose SETTINGS have not come, until one has taught better.
    public var assumedStreamLimit = 100
    /// A bound for the server's stream limit, because room is kept for each stream.
    public var highestStreamLimit = 16_384
    /// Streams on a connection that has not answered yet.
    public var initialWindow = 16
    /// Troubles in a row, where more than a few answers are bad, after which a connection is replaced, and how long at
    /// least from one to the next.
    public var troublesToEject = 4
    /// Rejected pushes in a row, where more than a few answers are bad, after which a connection is replaced, when
    /// another one's last answer was a good one.
    public var rejectionsToEject = 20
    /// The least time from one such replacement to the next.
    public var ejectionInterval = TimeInterval.seconds(1)
    /// A connection that was ready for this long and was never used is lost without being a failure.
    public var steadyTime = TimeInterval.seconds(5)
    /// The pauses between attempts to connect that fail.
    public var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))

    public init() {}

    /// Connections of all states, at most.
    public var slotCount: Int { max(1, maximumConnections) * 2 + 2 }
}
