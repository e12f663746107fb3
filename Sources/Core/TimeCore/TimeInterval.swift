/// A duration that is never negative, in nanoseconds. One machine word, unlike `Duration`.
public struct TimeInterval: Comparable, Hashable, Sendable {
    /// The duration in nanoseconds.
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A duration of zero.
    public static let zero = TimeInterval(nanoseconds: 0)

    /// A duration in seconds. A negative count becomes zero, and too large a count saturates.
    public static func seconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1_000_000_000)
    }

    /// A duration in seconds. Fractions below a nanosecond are cut; negative and non-finite values become zero.
    public static func seconds(_ count: Double) -> TimeInterval {
        guard count.isFinite, count > 0 else { return .zero }
        return TimeInterval(nanoseconds: UInt64(min(count * 1_000_000_000, 9e18)))
    }

    /// A duration in milliseconds, clamped like `seconds`.
    public static func milliseconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1_000_000)
    }

    /// A duration in microseconds, clamped like `seconds`.
    public static func microseconds(_ count: Int) -> TimeInterval {
        TimeInterval(count, of: 1000)
    }

    private init(_ count: Int, of unit: UInt64) {
        let (product, overflow) = UInt64(max(0, count)).multipliedReportingOverflow(by: unit)
        nanoseconds = overflow ? .max : product
    }

    /// Whole milliseconds, rounded up so that a wait does not end too early.
    public var millisecondsRoundedUp: UInt64 {
        nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
    }

    /// The duration as a number of seconds.
    public var inSeconds: Double { Double(nanoseconds) / 1_000_000_000 }

    /// A duration of Swift's type; at most 292 years.
    public var duration: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

    public static func < (left: TimeInterval, right: TimeInterval) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
