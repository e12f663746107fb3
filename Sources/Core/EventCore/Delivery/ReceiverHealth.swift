public import TimeCore

/// The health of a receiver. A failing receiver gets only single probes. After a successful one, deliveries resume in
/// full.
public struct ReceiverHealth: Equatable, Sendable {
    /// The failures since the last successful delivery.
    public private(set) var failures: Int
    private var pausedUntil: WallTime?

    /// The number of failures in a row after which only probes are sent.
    public static let failuresUntilProbing = 5
    /// The maximum number of concurrent deliveries to one receiver.
    public static let concurrency = 4
    static let backoff = Backoff(first: .seconds(10), longest: .seconds(300))

    /// - Parameter failures: The count from another gateway.
    public init(failures: Int = 0) {
        self.failures = max(0, failures)
    }

    /// True if only probes are sent.
    public var isProbing: Bool { failures >= ReceiverHealth.failuresUntilProbing }

    /// Returns the number of deliveries that may begin, with `underWay` in progress.
    public func room(underWay: Int, now: WallTime) -> Int {
        if let pausedUntil, now < pausedUntil { return 0 }
        return max(0, (isProbing ? 1 : ReceiverHealth.concurrency) - underWay)
    }

    /// Records a successful delivery.
    public mutating func delivered() {
        failures = 0
        pausedUntil = nil
    }

    /// - Parameters:
    ///   - retryAfter: The pause that the receiver requested, for all deliveries to it.
    ///   - jitter: From 0 to 1.
    public mutating func failed(now: WallTime, retryAfter: TimeInterval? = nil, jitter: Double) {
        failures += 1
        var pause = min(retryAfter ?? .zero, RetrySchedule.longestRetryAfter)
        if isProbing {
            let whole = ReceiverHealth.backoff.pause(after: failures - ReceiverHealth.failuresUntilProbing + 1)
            pause = max(pause, .seconds(whole.inSeconds * (1 + 0.2 * min(max(0, jitter), 1))))
        }
        if pause > .zero { pausedUntil = max(pausedUntil ?? now, now + pause) }
    }
}
