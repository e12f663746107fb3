public import TimeCore

/// The settings of a circuit breaker.
public struct BreakerConfiguration: Sendable {
    /// The number of weighty troubles in a row that pause, if no success came within `quiet`.
    public var troublesToPause = 3
    /// The time after which the last success is old.
    public var quiet = TimeInterval.seconds(1)
    /// The number of troubles of any kind in a row that pause, regardless of earlier successes.
    public var runToPause = 20
    /// The number of refused streams since the last success that pause, if that success is older than `quiet`.
    public var refusalsToPause = 32
    /// The number of failed connection attempts in a row that pause, if no connection exists.
    public var attemptsToPause = 2
    /// The maximum time without a connection while one is needed.
    public var unconnectedToPause = TimeInterval.seconds(3)
    /// The first pause ends between half of this and the whole; later ones grow with the duration of the outage.
    public var initialPause = TimeInterval.seconds(1)
    /// The upper limit of pauses.
    public var maximumPause = TimeInterval.seconds(30)
    /// The upper limit of a provider's `Retry-After`; far below the life of content. Single pushes probe afterwards.
    public var longestRetryAfter = TimeInterval.seconds(60)
    /// The timeout of a probe, which then counts as unanswered.
    public var probeTimeout = TimeInterval.seconds(20)
    /// The number of answers in a round, after which the share of troubles is evaluated.
    public var answersInRound = 40
    /// The share of troubles in a round that slows down, in percent.
    public var shareToSlowDown = 10

    public init() {}
}
