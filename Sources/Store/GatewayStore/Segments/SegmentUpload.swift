import LiveActivity

/// Ids on their way into a stored segment, by bucket. A few are held in memory, more are laid down in Redis, under keys
/// that expire. They become part of a segment in one step, once all have come.
public struct SegmentUpload: Sendable {
    let id = UniqueID.random()
    /// How many ids have come; one that came twice counts twice.
    public private(set) var count = 0
    /// Packed ids that wait to be laid down.
    private(set) var waiting: [[UInt8]]
    private(set) var waitingBytes = 0
    /// How many bytes lie in Redis.
    private var stored: [Int]

    /// How many bytes are held in memory before they are laid down.
    static let memory = 1 << 20
    /// The most bytes of one bucket, which is read at once: some billions of ids in all.
    static let maximumBucket = 32 << 20
    /// What a bucket keeps for more when it has been laid down.
    private static let keptCapacity = 4096

    /// The most bytes that have waited.
    private var mostWaiting = 0

    /// How many bytes of memory it takes, one thing with another, when so many more come: an array has room for twice
    /// what is in it, and keeps that.
    public func memory(with more: Int) -> Int { 2 * max(mostWaiting, waitingBytes + more) }

    public init() {
        waiting = Array(repeating: [], count: SegmentGeometry.buckets)
        stored = Array(repeating: 0, count: SegmentGeometry.buckets)
    }

    mutating func add(_ run: InsiderIDRun) {
        run.forEach { id in
            var packed: [UInt8] = []
            // Only a text of this length may be a UUID.
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

    /// All bytes of the bucket, here and in Redis.
    func bytes(_ bucket: Int) -> Int { stored[bucket] + waiting[bucket].count }

    /// What waits has been laid down.
    mutating func laidDown() {
        mostWaiting = max(mostWaiting, waitingBytes)
        for bucket in waiting.indices {
            stored[bucket] += waiting[bucket].count
            waiting[bucket].removeAll(keepingCapacity: waiting[bucket].capacity <= SegmentUpload.keptCapacity)
        }
        waitingBytes = 0
    }
}
