public import TimeCore

/// When a feed is polled.
public struct FeedTimes: Equatable, Sendable {
    /// From the beginning of a poll to that of the next one.
    public var interval: TimeInterval
    /// The pauses after polls that failed.
    public var backoff: Backoff

    /// No pause that a feed asks for is longer.
    public static let longestRetryAfter = TimeInterval.seconds(3600)

    /// - Parameter interval: see the property. Polls that fail are tried again sooner at first, and rarer than in the
    ///   interval later.
    public init(interval: TimeInterval) {
        self.interval = interval
        backoff = Backoff(first: min(interval, .seconds(5)), longest: max(interval, .seconds(300)))
    }
}
