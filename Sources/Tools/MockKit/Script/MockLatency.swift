public import TimeCore

/// The time between a complete request and its answer.
public enum MockLatency: Sendable, Equatable {
    case none
    case fixed(TimeInterval)
    /// A uniform distribution between two latencies.
    case uniform(TimeInterval, TimeInterval)
    /// Points of a distribution, in order of share. Latencies between two points are interpolated linearly. Below the
    /// first point they start at zero; above the last they are constant.
    case percentiles([Percentile])

    /// A point of a distribution: `share` of the answers take at most `latency`.
    public struct Percentile: Sendable, Equatable {
        /// From 0 to 1.
        public var share: Double
        /// The longest latency within this share.
        public var latency: TimeInterval

        public init(share: Double, latency: TimeInterval) {
            self.share = share
            self.latency = latency
        }
    }

    /// Returns the latency at `fraction` (0 to 1) of the distribution.
    package func value(at fraction: Double) -> TimeInterval {
        switch self {
        case .none: .zero
        case .fixed(let latency): latency
        case .uniform(let low, let high): Self.between(low, max(low, high), fraction)
        case .percentiles(let points): Self.value(in: points, at: fraction)
        }
    }

    private static func value(in points: [Percentile], at fraction: Double) -> TimeInterval {
        var before = Percentile(share: 0, latency: .zero)
        for point in points {
            if fraction <= point.share {
                let width = point.share - before.share
                return between(before.latency, point.latency, width > 0 ? (fraction - before.share) / width : 1)
            }
            before = point
        }
        return before.latency
    }

    private static func between(_ low: TimeInterval, _ high: TimeInterval, _ fraction: Double) -> TimeInterval {
        let first = Double(low.nanoseconds)
        return TimeInterval.seconds((first + (Double(high.nanoseconds) - first) * fraction) / 1_000_000_000)
    }
}
