import Histogram
import TimeCore

/// Two histograms of the same calls, in nanoseconds with three significant digits.
struct LatencyStatistics: Sendable {
    /// The time from when a call was due, which includes the wait before sending.
    private(set) var sinceDue = LatencyStatistics.histogram()
    /// The time from when a call was sent, which is the gateway's latency.
    private(set) var sinceSent = LatencyStatistics.histogram()

    /// The longest time that is recorded exactly: one hour.
    private static let longest: UInt64 = 3_600_000_000_000

    mutating func callEnded(due: MonotonicTime, sent: MonotonicTime, at now: MonotonicTime) {
        LatencyStatistics.record(now - due, in: &sinceDue)
        LatencyStatistics.record(now - sent, in: &sinceSent)
    }

    /// Records a call that was never sent, with its waiting time so far.
    mutating func callGivenUp(due: MonotonicTime, at now: MonotonicTime) {
        LatencyStatistics.record(now - due, in: &sinceDue)
    }

    private static func record(_ time: TimeInterval, in histogram: inout Histogram<UInt32>) {
        _ = histogram.record(max(1, min(time.nanoseconds, longest)))
    }

    private static func histogram() -> Histogram<UInt32> {
        Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
    }
}
