/// The pauses after failed attempts: each twice as long as the last, up to a limit.
public struct Backoff: Hashable, Sendable {
    /// The pause after one failure.
    public var first: TimeInterval
    /// The upper limit of pauses.
    public var longest: TimeInterval

    /// - Parameters:
    ///   - first: The pause after one failure.
    ///   - longest: The upper limit of pauses.
    public init(first: TimeInterval, longest: TimeInterval) {
        self.first = first
        self.longest = longest
    }

    /// The full pause after `failures` failures in a row, at least one.
    public func pause(after failures: Int) -> TimeInterval {
        let doublings = UInt64(min(max(failures - 1, 0), 32))
        let (grown, overflow) = first.nanoseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? longest : min(TimeInterval(nanoseconds: grown), longest)
    }

    /// A randomly shortened pause, so that clients that failed together do not retry together.
    /// - Parameter jitter: From 0 to 1.
    public func pause(after failures: Int, jitter: Double) -> TimeInterval {
        pause(after: failures).cut(jitter: jitter)
    }
}

extension TimeInterval {
    /// Returns a value between half and the whole.
    /// - Parameter jitter: From 0 for half to 1 for the whole; clamped.
    public func cut(jitter: Double) -> TimeInterval {
        let half = nanoseconds / 2
        return TimeInterval(nanoseconds: half + UInt64(Double(nanoseconds - half) * min(max(jitter, 0), 1)))
    }

    /// Returns a value between half and the whole.
    /// - Parameter random: Any number; it selects the value.
    public func cut(random: UInt64) -> TimeInterval {
        let half = nanoseconds / 2
        return TimeInterval(nanoseconds: half + random % (nanoseconds - half + 1))
    }
}
