import TimeCore

/// Another machine's clock, by this one's monotonic clock: what it shows is asked for now and then, and in between it
/// is reckoned. Each answer was given at some moment between question and arrival, so it bounds the difference of the
/// two clocks from both sides; answers narrow these bounds, and drift widens them. Pure.
struct ClockEstimator {
    /// How far the two clocks may part, in millionths: more than any quartz, and what time services slew at most.
    private static let drift: Int64 = 1000

    private struct Bounds {
        var low: Int64
        var high: Int64
        var estimate: Int64
        var at: MonotonicTime
    }

    private var bounds: Bounds?

    /// Whether there was an answer yet.
    var isSet: Bool { bounds != nil }

    /// Takes an answer: `time` is what the clock showed, in microseconds since 1970. The estimate moves no further than
    /// the answer's bounds make it, so it hardly ever steps back; a clock that was set is followed at once.
    /// - Returns: the microseconds by which the clock was set since the answer before, negative for a step back; nil if
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

    /// What the clock shows; nil before the first answer.
    func time(at now: MonotonicTime) -> WallTime? {
        bounds.map { WallTime(milliseconds: ($0.estimate + ClockEstimator.microseconds(now)) / 1000) }
    }

    /// The earliest and the latest time that the clock can show; nil before the first answer.
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
