public import TimeCore

/// How a feed is doing, and when it is polled next. All gateways see the same, because Redis keeps it; it is changed by
/// the one that polls.
///
/// Pure: the time and a random number come as arguments.
public struct FeedState: Equatable, Sendable {
    /// The feed's own name for what it said last (`ETag`), as it came; nil when the whole is to be asked for.
    public var tag: String?
    /// A hash of what it said last, for feeds without a tag; nil when the whole is to be taken.
    public var digest: [UInt8]?
    /// When the next poll is due; nil for now.
    public var dueAt: WallTime?
    /// Polls that failed in a row.
    public var failures = 0
    /// Since when they fail; nil while they do not.
    public var failingSince: WallTime?
    /// What the last failure was; nil when the last poll did not fail.
    public var failure: FeedFailure?
    /// When a poll went well last.
    public var succeededAt: WallTime?
    /// How many topics it named last.
    public var topics = 0
    /// How many of these could not be taken.
    public var refused = 0

    /// Of a feed that was never polled.
    public init() {}

    /// What a feed said.
    public enum News: Equatable, Sendable {
        /// The same as last time.
        case unchanged
        /// So many topics, of which so many could not be taken. `isSettled` says whether the same words again would
        /// change nothing: an element that the topic's present state rules out may be taken later.
        case taken(tag: String?, digest: [UInt8], topics: Int, refused: Int, isSettled: Bool)
    }

    /// Whether it is to be polled now.
    public func isDue(now: WallTime) -> Bool { dueAt.map { $0 <= now } ?? true }

    /// A poll went well.
    /// - Parameter began: when it began; the next one is due an interval later.
    public mutating func succeeded(_ news: News, began: WallTime, now: WallTime, times: FeedTimes) {
        if case .taken(let tag, let digest, let topics, let refused, let isSettled) = news {
            self.tag = isSettled ? tag : nil
            self.digest = isSettled ? digest : nil
            self.topics = topics
            self.refused = refused
        }
        (failures, failingSince, failure) = (0, nil, nil)
        succeededAt = now
        dueAt = max(began + times.interval, now)
    }

    /// A poll failed.
    /// - Parameters:
    ///   - retryAfter: what the feed asks for; nil when it does not.
    ///   - random: any number; picks the point between half the pause and the whole.
    public mutating func failed(
        _ failure: FeedFailure, retryAfter: TimeInterval?, now: WallTime, times: FeedTimes, random: UInt64
    ) {
        failures = min(failures + 1, 1_000_000)
        failingSince = failingSince ?? now
        self.failure = failure
        let pause = times.backoff.pause(after: failures).cut(random: random)
        dueAt = now + max(pause, min(retryAfter ?? .zero, FeedTimes.longestRetryAfter))
    }
}
