import Glibc

/// A point on the monotonic clock, in nanoseconds since an arbitrary start. Machines take it as an argument;
/// only drivers read the clock.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Since some moment before the process began.
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads `CLOCK_MONOTONIC`.
    public static func now() -> MonotonicTime {
        var value = timespec()
        clock_gettime(CLOCK_MONOTONIC, &value)
        return MonotonicTime(nanoseconds: UInt64(value.tv_sec) &* 1_000_000_000 &+ UInt64(value.tv_nsec))
    }

    /// Later by `interval`; saturates at the end of the scale.
    public static func + (time: MonotonicTime, interval: TimeInterval) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(interval.nanoseconds)
        return MonotonicTime(nanoseconds: overflow ? .max : sum)
    }

    /// The interval since `earlier`, or zero if that is in the future.
    public static func - (time: MonotonicTime, earlier: MonotonicTime) -> TimeInterval {
        TimeInterval(nanoseconds: time.nanoseconds > earlier.nanoseconds ? time.nanoseconds - earlier.nanoseconds : 0)
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
