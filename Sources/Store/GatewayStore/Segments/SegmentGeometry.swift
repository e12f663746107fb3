import LiveActivity

/// The distribution of a stored segment's ids. A hash assigns them to 1,024 buckets. A partition is a range of
/// neighboring buckets, a power of two of them. Larger segments have more partitions.
enum SegmentGeometry {
    static let buckets = 1024
    /// The most ids of a partition on average. Segments of more than a million ids have larger partitions.
    static let idsPerPartition = 1000
    /// The most ids of a page, which is read and registered at once.
    static let idsPerPage = 2048

    /// Returns the FNV-1a hash of a packed id, mixed because its upper bits alone are uneven for short texts.
    static func bucket(_ id: some Sequence<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(buckets - 1))
    }

    /// Returns the number of partitions for this many ids.
    static func partitions(ids: Int) -> Int {
        var count = 1
        while count < buckets, count * idsPerPartition < ids { count *= 2 }
        return count
    }

    /// The buckets of a partition.
    static func buckets(of partition: Int, in partitions: Int) -> Range<Int> {
        let size = buckets / partitions
        return (partition * size)..<((partition + 1) * size)
    }

    static func partition(ofBucket bucket: Int, in partitions: Int) -> Int { bucket * partitions / buckets }
}
