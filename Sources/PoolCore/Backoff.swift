public import TimeCore

/// The pauses between attempts that fail: exponential, with jitter.
public struct Backoff: Sendable {
    public struct Configuration: Sendable {
        public var initial = TimeInterval.milliseconds(500)
        public var maximum = TimeInterval.seconds(30)

        public init() {}
    }

    public private(set) var failures = 0
    private let configuration: Configuration

    public init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    public mutating func succeeded() {
        failures = 0
    }

    /// The pause after one more failure: between half of and the whole of initial * 2^(failures - 1), or of the
    /// maximum if that is shorter. `random` may be any number; it picks the point between.
    public mutating func failed(random: UInt64) -> TimeInterval {
        failures += 1
        let doublings = UInt64(min(failures - 1, 32))
        let (grown, overflow) = configuration.initial.nanoseconds.multipliedReportingOverflow(by: 1 << doublings)
        let whole = min(overflow ? .max : grown, configuration.maximum.nanoseconds)
        let half = whole / 2
        return TimeInterval(nanoseconds: half + random % (whole - half + 1))
    }
}
