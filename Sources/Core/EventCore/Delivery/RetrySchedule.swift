public import TimeCore

/// The retry schedule of a failed delivery: quick retries for short outages, then rarer ones for a day.
public enum RetrySchedule {
    /// The pauses after the first, second, ... failure.
    static let pauses: [TimeInterval] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600), .seconds(10 * 3600),
    ]

    /// The time from the event to its last attempt.
    public static let patience = TimeInterval.seconds(24 * 3600)
    /// After `patience`, events that were not attempted because only probes were sent are dead after this time.
    public static let grace = TimeInterval.seconds(15 * 60)
    /// The limit of a receiver's `Retry-After`.
    public static let longestRetryAfter = TimeInterval.seconds(3600)
    /// The maximum jitter as a part of the pause. It keeps deliveries from synchronizing.
    static let jitterPart = 0.2

    /// Returns the time of the next attempt; nil after a day, when the event is dead.
    /// - Parameters:
    ///   - attempts: The number of failed attempts, including this one.
    ///   - since: The time when the webhook received the event.
    ///   - retryAfter: The pause that the receiver requested.
    ///   - jitter: From 0 to 1.
    public static func next(
        afterAttempts attempts: Int, since: WallTime, now: WallTime, retryAfter: TimeInterval? = nil, jitter: Double
    ) -> WallTime? {
        let end = since + patience
        guard now < end else { return nil }
        let pause = pauses[min(max(1, attempts), pauses.count) - 1]
        let spread = TimeInterval.seconds(pause.inSeconds * (1 + jitterPart * min(max(0, jitter), 1)))
        let wanted = min(retryAfter ?? .zero, longestRetryAfter)
        // The last attempt is at the end of the day.
        return min(now + max(spread, wanted), end)
    }
}
