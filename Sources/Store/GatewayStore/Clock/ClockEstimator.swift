import TimeCore

/// Estimates another machine's clock from samples and this machine's monotonic clock. A sample was taken between
/// request and reply, so it bounds the clocks' difference from both sides. Samples narrow the bounds, and drift widens
/// them.
struct ClockEstimator {
    /// The largest drift between the clocks in millionths. It exceeds the drift of quartz and of time services.
    private static let drift: Int64 = 1000

    private struct Bounds {
        var low: Int64
        var high: Int64
        var estimate: Int64
        var at: MonotonicTime
    }

    private var bounds: Bounds?

    /// True once there was a sample.
    var isSet: Bool { bounds != nil }

    /// Adds a sample. The estimate moves only as far as the bounds require, so it rarely steps back. A clock that was
    /// set is followed at once.
    /// - Parameter time: The sampled time in microseconds since 1970.
    /// - Returns: The microseconds by which the clock was set since the last sample, negative for a step back; nil if
    ///   it was not set.
    @discardableResult
    mutating func answered(_ time: Int64, sent: MonotonicTime, received: MonotonicTime) -> Int64? {
        let low = time - ClockEstimator.microseconds(received)
        let high = max(low, time - ClockEstimator.microseconds(sent))
        guard let old = bounds else {
            bounds = Bounds(low: low, high: high, estimate: low + (high - low) / 2, at: received)
            return nil
        }
        let widening = ClockEstimator.widening(from: old.at, to: received)
        let common = (low: max(low, old.low - widening), high: min(high, old.high + widening))
        guard common.low <= common.high else {
            let estimate = low + (high - low) / 2
            bounds = Bounds(low: low, high: high, estimate: estimate, at: received)
            return estimate - old.estimate
        }
        bounds = Bounds(
            low: common.low, high: common.high, estimate: min(max(old.estimate, common.low), common.high), at: received)
        return nil
    }

    /// The estimated time; nil before the first sample.
    func time(at now: MonotonicTime) -> WallTime? {
        bounds.map { WallTime(milliseconds: ($0.estimate + ClockEstimator.microseconds(now)) / 1000) }
    }

    /// The bounds of the clock's time; nil before the first sample.
    func bounds(at now: MonotonicTime) -> ClockBounds? {
        bounds.map { bounds in
            let widening = ClockEstimator.widening(from: bounds.at, to: now)
            let now = ClockEstimator.microseconds(now)
            return ClockBounds(
                earliest: WallTime(milliseconds: (bounds.low - widening + now) / 1000),
                latest: WallTime(milliseconds: (bounds.high + widening + now + 999) / 1000))
        }
    }

    /// The microseconds by which drift widens each bound.
    private static func widening(from: MonotonicTime, to: MonotonicTime) -> Int64 {
        Int64((to - from).nanoseconds / 1000) * drift / 1_000_000 + 1
    }

    private static func microseconds(_ time: MonotonicTime) -> Int64 { Int64(time.nanoseconds / 1000) }
}
