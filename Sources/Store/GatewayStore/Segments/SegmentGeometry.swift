import LiveActivity

/// How the ids of a stored segment are spread: by a hash over 1,024 buckets, whose number is fixed. A partition is a
/// power of two of neighbouring buckets; the more ids there are, the more partitions.
enum SegmentGeometry {
    static let buckets = 1024
    /// A partition aims at half of it up to this many ids; a segment of more than a million has larger ones.
    static let idsPerPartition = 1000
    /// A page is read at once, and registered at once.
    static let idsPerPage = 2048

    /// FNV-1a over the packed id, and then mixed, since its upper bits alone are uneven for short texts.
    static func bucket(_ id: some Sequence<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(buckets - 1))
    }

    /// How many partitions a segment of this many ids should have.
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
