public import FlatMemory

/// How long things took, in buckets that double: up to 62.5 µs, 125 µs, 250 µs and so on. To take a time is a division
/// by a constant, a count of leading zeros and two additions, so it may be done for every push.
///
/// Confined to one thread; others get a `snapshot`.
public struct LatencyHistogram: ~Copyable {
    /// The first bucket's bound, in nanoseconds.
    public static let unit: UInt64 = 62_500

    /// One for each bound, and one for all that took longer.
    @usableFromInline var counts = PlainBuffer<UInt64>()
    @usableFromInline var sum: UInt64 = 0
    @usableFromInline let last: Int

    /// - Parameter bounds: how many buckets have a bound; 21 reach to 65.5 s, 25 to 1,049 s.
    public init(bounds: Int = 21) {
        last = max(1, min(bounds, 40))
        for _ in 0...last { counts.append(0) }
    }

    /// Counts a time.
    @inlinable
    @inline(__always)
    public mutating func record(nanoseconds: UInt64) {
        // A time that equals a bound belongs below it.
        let steps = (max(nanoseconds, 1) &- 1) / LatencyHistogram.unit
        counts[min(UInt64.bitWidth &- steps.leadingZeroBitCount, last)] &+= 1
        sum &+= nanoseconds
    }

    /// A copy. Of the first buckets so many are counted with the one that follows them, where nothing is that quick.
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
    /// Times of about the same length.
    public struct Bucket: Equatable, Sendable {
        /// The longest time that belongs here, in nanoseconds.
        public let bound: UInt64
        /// How many were longer than the bucket before has it, and not longer than this one's bound.
        public var count: UInt64
    }

    /// In ascending order.
    public internal(set) var buckets: [Bucket] = []
    /// How many were longer than every bound.
    public internal(set) var beyond: UInt64 = 0
    /// Of all times, in nanoseconds.
    public internal(set) var sum: UInt64 = 0

    public init() {}

    /// How many times were counted.
    public var count: UInt64 { buckets.reduce(beyond) { $0 + $1.count } }

    /// Adds what another histogram has counted; bounds that only one of them has are kept.
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
