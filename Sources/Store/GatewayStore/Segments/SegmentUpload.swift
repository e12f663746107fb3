import LiveActivity

/// Uploaded ids by bucket on their way into a stored segment. A few are in memory, others in Redis under keys that
/// expire. They become part of a segment in one step after the upload.
public struct SegmentUpload: Sendable {
    let id = UniqueID.random()
    /// The number of uploaded ids, including duplicates.
    public private(set) var count = 0
    /// The packed ids in memory, by bucket.
    private(set) var waiting: [[UInt8]]
    private(set) var waitingBytes = 0
    /// The number of bytes in Redis, by bucket.
    private var stored: [Int]

    /// The number of bytes in memory from which they are written to Redis.
    static let memory = 1 << 20
    /// The most bytes of one bucket, which is read at once. The limit allows some billions of ids in all.
    static let maximumBucket = 32 << 20
    /// The capacity that a bucket keeps after its ids were written to Redis.
    private static let keptCapacity = 4096

    /// The most bytes that were in memory.
    private var mostWaiting = 0

    /// Returns an estimate of the memory in bytes after further bytes. An array has room for up to twice its content,
    /// and keeps it.
    public func memory(with more: Int) -> Int { 2 * max(mostWaiting, waitingBytes + more) }

    public init() {
        waiting = Array(repeating: [], count: SegmentGeometry.buckets)
        stored = Array(repeating: 0, count: SegmentGeometry.buckets)
    }

    mutating func add(_ run: InsiderIDRun) {
        run.forEach { id in
            var packed: [UInt8] = []
            // Only texts of this length can be UUIDs.
            if id.count == 36 {
                PackedName.append(String(decoding: id, as: UTF8.self), to: &packed)
                add(packed: packed[...])
            } else {
                add(packed: id)
            }
        }
        count += run.count
    }

    private mutating func add(packed id: ArraySlice<UInt8>) {
        let bucket = SegmentGeometry.bucket(id)
        waiting[bucket].append(UInt8(truncatingIfNeeded: id.count))
        waiting[bucket].append(contentsOf: id)
        waitingBytes += id.count + 1
    }

    var isTooLarge: Bool { stored.contains { $0 > SegmentUpload.maximumBucket } }

    var hasStored: Bool { stored.contains { $0 > 0 } }

    func storedBytes(_ bucket: Int) -> Int { stored[bucket] }

    /// Returns the bytes of the bucket, in memory and in Redis.
    func bytes(_ bucket: Int) -> Int { stored[bucket] + waiting[bucket].count }

    /// Moves the counts of the bytes in memory to those in Redis.
    mutating func laidDown() {
        mostWaiting = max(mostWaiting, waitingBytes)
        for bucket in waiting.indices {
            stored[bucket] += waiting[bucket].count
            waiting[bucket].removeAll(keepingCapacity: waiting[bucket].capacity <= SegmentUpload.keptCapacity)
        }
        waitingBytes = 0
    }
}
