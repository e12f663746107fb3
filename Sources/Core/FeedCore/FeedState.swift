public import TimeCore

/// The state of a feed and the time of its next poll. Redis stores it for all gateways; the polling gateway updates it.
///
/// Pure: the time and a random number are arguments.
public struct FeedState: Equatable, Sendable {
    /// The last `ETag`, unchanged; nil if the next request must be unconditional.
    public var tag: String?
    /// A hash of the last body, for feeds without `ETag`; nil if the next body must be processed.
    public var digest: [UInt8]?
    /// The time of the next poll; nil means now.
    public var dueAt: WallTime?
    /// The number of failed polls in a row.
    public var failures = 0
    /// The time of the first failure in a row; nil after a success.
    public var failingSince: WallTime?
    /// The cause of the last failure; nil if the last poll succeeded.
    public var failure: FeedFailure?
    /// The time of the last successful poll.
    public var succeededAt: WallTime?
    /// The number of topics at the last poll.
    public var topics = 0
    /// The number of refused topics at the last poll.
    public var refused = 0

    /// The state of a feed that was never polled.
    public init() {}

    /// The result of a poll.
    public enum News: Equatable, Sendable {
        /// The feed has not changed.
        case unchanged
        /// The feed's content was processed. `isSettled` is false if the same content may have another result later,
        /// because the topic's present state caused a refusal.
        case taken(tag: String?, digest: [UInt8], topics: Int, refused: Int, isSettled: Bool)
    }

    /// True if the feed must be polled now.
    public func isDue(now: WallTime) -> Bool { dueAt.map { $0 <= now } ?? true }

    /// Records a successful poll.
    /// - Parameter began: The poll's beginning; the next poll is due an interval later.
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

    /// Records a failed poll.
    /// - Parameters:
    ///   - retryAfter: The pause that the feed requested, if any.
    ///   - random: Any number. It shortens the pause by up to half.
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
