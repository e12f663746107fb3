public import TimeCore

/// Whether a receiver answers. One that does not is sent one event now and then, and everything as soon as it takes
/// that.
public struct ReceiverHealth: Equatable, Sendable {
    /// Failures since the last delivery that succeeded.
    public private(set) var failures: Int
    private var pausedUntil: WallTime?

    /// So many in a row, and only probes are sent.
    public static let failuresUntilProbing = 5
    /// How many deliveries to one receiver are under way at once.
    public static let concurrency = 4
    static let backoff = Backoff(first: .seconds(10), longest: .seconds(300))

    /// - Parameter failures: what another gateway has counted.
    public init(failures: Int = 0) {
        self.failures = max(0, failures)
    }

    /// Whether so many deliveries have failed in a row that only probes are sent.
    public var isProbing: Bool { failures >= ReceiverHealth.failuresUntilProbing }

    /// How many more deliveries may begin, of which `underWay` have not ended.
    public func room(underWay: Int, now: WallTime) -> Int {
        if let pausedUntil, now < pausedUntil { return 0 }
        return max(0, (isProbing ? 1 : ReceiverHealth.concurrency) - underWay)
    }

    /// The receiver has taken an event.
    public mutating func delivered() {
        failures = 0
        pausedUntil = nil
    }

    /// - Parameters:
    ///   - retryAfter: what the receiver asked for, for all that is sent to it.
    ///   - jitter: from 0 up to 1.
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
