public import TimeCore

/// When a delivery that failed is tried again: quickly at first, for a short outage; then ever more rarely, for a day.
public enum RetrySchedule {
    /// The pauses after the first, second, ... failure.
    static let pauses: [TimeInterval] = [
        .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600), .seconds(10 * 3600),
    ]

    /// From the event until its last try.
    public static let patience = TimeInterval.seconds(24 * 3600)
    /// Beyond `patience` an event that could not be tried, because only probes were sent, is dead after this.
    public static let grace = TimeInterval.seconds(15 * 60)
    /// A receiver that asks for more is not listened to.
    public static let longestRetryAfter = TimeInterval.seconds(3600)
    /// What is added at most, as a part of the pause, so that deliveries do not come in step.
    static let jitterPart = 0.2

    /// When to try again; nil when a day has passed and the event is to be given up.
    /// - Parameters:
    ///   - attempts: how many have failed, this one included.
    ///   - since: when the event was handed to the webhook.
    ///   - retryAfter: what the receiver asked for.
    ///   - jitter: from 0 up to 1.
    public static func next(
        afterAttempts attempts: Int, since: WallTime, now: WallTime, retryAfter: TimeInterval? = nil, jitter: Double
    ) -> WallTime? {
        let end = since + patience
        guard now < end else { return nil }
        let pause = pauses[min(max(1, attempts), pauses.count) - 1]
        let spread = TimeInterval.seconds(pause.inSeconds * (1 + jitterPart * min(max(0, jitter), 1)))
        let wanted = min(retryAfter ?? .zero, longestRetryAfter)
        // The last try is when the day is over.
        return min(now + max(spread, wanted), end)
    }
}
