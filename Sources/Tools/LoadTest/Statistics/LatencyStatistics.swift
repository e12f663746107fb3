import Histogram
import TimeCore

/// Two histograms of the same calls, in nanoseconds, three digits exact.
struct LatencyStatistics: Sendable {
    /// From the time at which a call was due: what its caller has waited, with the time that it could not be sent.
    private(set) var sinceDue = LatencyStatistics.histogram()
    /// From the time at which it was sent: what the gateway took.
    private(set) var sinceSent = LatencyStatistics.histogram()

    /// The longest time that is told apart from longer ones.
    private static let longest: UInt64 = 3_600_000_000_000

    mutating func callEnded(due: MonotonicTime, sent: MonotonicTime, at now: MonotonicTime) {
        LatencyStatistics.record(now - due, in: &sinceDue)
        LatencyStatistics.record(now - sent, in: &sinceSent)
    }

    /// A call that was never sent has waited so long at least.
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
