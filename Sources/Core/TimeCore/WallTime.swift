import Glibc

/// A point in civil time: milliseconds since 1970-01-01T00:00:00Z. Pure parts receive it as an argument.
public struct WallTime: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970, without leap seconds.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Saturates at both ends of the range.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Reads `CLOCK_REALTIME`.
    public static func now() -> WallTime {
        var value = timespec()
        clock_gettime(CLOCK_REALTIME, &value)
        return WallTime(milliseconds: Int64(value.tv_sec) * 1000 + Int64(value.tv_nsec) / 1_000_000)
    }

    /// The current time to within some milliseconds, at a tenth of the cost of `now`. Use it for values in seconds.
    public static func recent() -> WallTime {
        var value = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &value)
        return WallTime(milliseconds: Int64(value.tv_sec) * 1000 + Int64(value.tv_nsec) / 1_000_000)
    }

    /// Whole seconds, rounded towards the past: an APNs timestamp.
    public var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1
    }

    /// Adds an interval, cut to milliseconds; saturates.
    public static func + (time: WallTime, interval: TimeInterval) -> WallTime {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(Int64(interval.nanoseconds / 1_000_000))
        return WallTime(milliseconds: overflow ? .max : sum)
    }

    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
