public import TimeCore

/// The settings of a circuit breaker.
public struct BreakerConfiguration: Sendable {
    /// Weighty troubles in a row that pause, when nothing good was heard for `quiet`.
    public var troublesToPause = 3
    /// How long ago the last good answer must be for that.
    public var quiet = TimeInterval.seconds(1)
    /// Troubles of any kind in a row that pause, whatever was heard before.
    public var runToPause = 20
    /// Streams refused since the last answer that pause, when that was longer ago than `quiet`.
    public var refusalsToPause = 32
    /// Attempts to connect that failed in a row, without any connection, and how long there may be none while one is
    /// needed.
    public var attemptsToPause = 2
    /// How long there may be no connection while one is needed.
    public var unconnectedToPause = TimeInterval.seconds(3)
    /// The first pause ends between half of this and the whole; later ones grow with what the outage has lasted.
    public var initialPause = TimeInterval.seconds(1)
    /// What the pauses grow up to.
    public var maximumPause = TimeInterval.seconds(30)
    /// A provider's `Retry-After` is honoured up to this; after that single pushes probe. Far shorter than content is
    /// valid.
    public var longestRetryAfter = TimeInterval.seconds(60)
    /// A probe that has not ended by then counts as unanswered.
    public var probeTimeout = TimeInterval.seconds(20)
    /// Answers of one round, after which the share of troubles is looked at, and the share (in percent) that slows
    /// down.
    public var answersInRound = 40
    /// The share of troubles, in percent, that slows down.
    public var shareToSlowDown = 10

    public init() {}
}
