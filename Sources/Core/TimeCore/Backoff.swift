/// The pauses between attempts that fail: each twice as long as the one before, up to the longest.
public struct Backoff: Hashable, Sendable {
    /// The pause after one failure.
    public var first: TimeInterval
    /// No pause is longer.
    public var longest: TimeInterval

    /// - Parameters:
    ///   - first: the pause after one failure.
    ///   - longest: what the pauses grow up to.
    public init(first: TimeInterval, longest: TimeInterval) {
        self.first = first
        self.longest = longest
    }

    /// The whole pause after so many failures in a row, at least one.
    public func pause(after failures: Int) -> TimeInterval {
        let doublings = UInt64(min(max(failures - 1, 0), 32))
        let (grown, overflow) = first.nanoseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? longest : min(TimeInterval(nanoseconds: grown), longest)
    }

    /// The same, cut by chance, so that those who failed together do not come back together.
    /// - Parameter jitter: from 0 up to 1.
    public func pause(after failures: Int, jitter: Double) -> TimeInterval {
        pause(after: failures).cut(jitter: jitter)
    }
}

extension TimeInterval {
    /// Between half of it and the whole.
    /// - Parameter jitter: picks the point: 0, and what is below, for half of it, 1, and what is above, for the whole.
    public func cut(jitter: Double) -> TimeInterval {
        let half = nanoseconds / 2
        return TimeInterval(nanoseconds: half + UInt64(Double(nanoseconds - half) * min(max(jitter, 0), 1)))
    }

    /// Between half of it and the whole.
    /// - Parameter random: any number; picks the point.
    public func cut(random: UInt64) -> TimeInterval {
        let half = nanoseconds / 2
        return TimeInterval(nanoseconds: half + random % (nanoseconds - half + 1))
    }
}
