public import TimeCore

/// The times of a feed's polls.
public struct FeedTimes: Equatable, Sendable {
    /// The time between the beginnings of two polls.
    public var interval: TimeInterval
    /// The pauses after failed polls.
    public var backoff: Backoff

    /// The limit of a feed's `Retry-After`.
    public static let longestRetryAfter = TimeInterval.seconds(3600)

    /// - Parameter interval: The time between polls. Failed polls are retried sooner at first and more rarely later.
    public init(interval: TimeInterval) {
        self.interval = interval
        backoff = Backoff(first: min(interval, .seconds(5)), longest: max(interval, .seconds(300)))
    }
}
