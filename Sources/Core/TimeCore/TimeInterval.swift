/// A length of time that is never negative, in nanoseconds. One machine word, unlike `Duration`.
public struct TimeInterval: Comparable, Hashable, Sendable {
    /// How long it is.
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// No time at all.
    public static let zero = TimeInterval(nanoseconds: 0)

    /// A negative count is zero, one that is too large saturates: so with all units.
    public static func seconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1_000_000_000)
    }

    /// Fractions below a nanosecond are cut; negative and non-finite values are zero.
    public static func seconds(_ count: Double) -> TimeInterval {
        guard count.isFinite, count > 0 else { return .zero }
        return TimeInterval(nanoseconds: UInt64(min(count * 1_000_000_000, 9e18)))
    }

    /// So many thousandths of a second.
    public static func milliseconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1_000_000)
    }

    /// So many millionths of a second.
    public static func microseconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1000)
    }

    private init(_ count: Int, of unit: UInt64) {
        let (product, overflow) = UInt64(max(0, count)).multipliedReportingOverflow(by: unit)
        nanoseconds = overflow ? .max : product
    }

    /// Whole milliseconds, rounded up, so that who waits that long does not wake too early.
    public var millisecondsRoundedUp: UInt64 {
        nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
    }

    /// As a number of seconds.
    public var inSeconds: Double { Double(nanoseconds) / 1_000_000_000 }

    public static func < (left: TimeInterval, right: TimeInterval) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
