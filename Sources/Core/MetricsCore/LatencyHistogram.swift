public import FlatMemory

/// A histogram of durations, in buckets that double: up to 62.5 µs, 125 µs, 250 µs and so on. Recording takes one
/// division by a constant, a count of leading zeros and two additions, so it suits every push.
///
/// Confined to one thread; other threads get a `snapshot`.
public struct LatencyHistogram: ~Copyable {
    /// The first bucket's bound, in nanoseconds.
    public static let unit: UInt64 = 62_500

    /// One count for each bound, and one for longer durations.
    @usableFromInline var counts = PlainBuffer<UInt64>()
    @usableFromInline var sum: UInt64 = 0
    @usableFromInline let last: Int

    /// - Parameter bounds: The number of buckets with a bound; 21 reach to 65.5 s, 25 to 1,049 s.
    public init(bounds: Int = 21) {
        last = max(1, min(bounds, 40))
        for _ in 0...last { counts.append(0) }
    }

    /// Counts a duration.
    @inlinable
    @inline(__always)
    public mutating func record(nanoseconds: UInt64) {
        // A duration equal to a bound counts below it.
        let steps = (max(nanoseconds, 1) &- 1) / LatencyHistogram.unit
        counts[min(UInt64.bitWidth &- steps.leadingZeroBitCount, last)] &+= 1
        sum &+= nanoseconds
    }

    /// Returns a copy. The first `dropped` buckets are merged into the next one, for durations that are never short.
    public func snapshot(droppingFirst dropped: Int = 0) -> HistogramSnapshot {
        let first = max(0, min(dropped, last - 1))
        var copied = HistogramSnapshot()
        copied.sum = sum
        var smaller: UInt64 = 0
        for index in 0..<first { smaller += counts[index] }
        for index in first..<last {
            copied.buckets.append(
                HistogramSnapshot.Bucket(bound: LatencyHistogram.unit << UInt64(index), count: counts[index] + smaller))
            smaller = 0
        }
        copied.beyond = counts[last]
        return copied
    }
}

/// A histogram at one moment.
public struct HistogramSnapshot: Equatable, Sendable {
    /// A range of durations.
    public struct Bucket: Equatable, Sendable {
        /// The longest duration of the bucket, in nanoseconds.
        public let bound: UInt64
        /// The number of durations above the previous bucket's bound, up to this bound.
        public var count: UInt64
    }

    /// In ascending order.
    public internal(set) var buckets: [Bucket] = []
    /// The number of durations above all bounds.
    public internal(set) var beyond: UInt64 = 0
    /// The sum of all durations, in nanoseconds.
    public internal(set) var sum: UInt64 = 0

    public init() {}

    /// The number of durations.
    public var count: UInt64 { buckets.reduce(beyond) { $0 + $1.count } }

    /// Adds another histogram's counts; bounds of either one are kept.
    public mutating func add(_ other: HistogramSnapshot) {
        for bucket in other.buckets {
            if let index = buckets.firstIndex(where: { $0.bound >= bucket.bound }) {
                if buckets[index].bound == bucket.bound {
                    buckets[index].count += bucket.count
                } else {
                    buckets.insert(bucket, at: index)
                }
            } else {
                buckets.append(bucket)
            }
        }
        beyond += other.beyond
        sum += other.sum
    }
}
