import LiveActivity
import RedisClient

/// What a change of a stored segment will make of it: parts that are written already, under keys of their own, and that
/// nothing refers to yet.
struct SegmentDraft {
    let writer = UniqueID.random()
    let partitions: Int
    /// By partition; nil for one that holds nobody any more. Partitions that are missing stay as they are.
    private(set) var parts: [Int: SegmentPart?] = [:]
    /// How many users the written parts have.
    private(set) var users = 0

    init(partitions: Int) {
        self.partitions = partitions
    }

    /// Adds a partition. The commands write its pages, which expire unless the change is carried through.
    mutating func add(_ ids: SegmentIDs, partition: Int) -> [RedisCommand] {
        guard ids.count > 0 else {
            parts.updateValue(nil, forKey: partition)
            return []
        }
        let size = SegmentGeometry.idsPerPage
        let part = SegmentPart(writer: writer, users: ids.count, pages: (ids.count + size - 1) / size)
        parts.updateValue(part, forKey: partition)
        users += ids.count
        return part.keys(partition).enumerated().map { page, key in
            let range = (page * size)..<min(ids.count, (page + 1) * size)
            return RedisCommand("SET", key, SegmentPage.encode(ids, range), "PX", StoredSegments.segmentDraftsKept)
        }
    }

    /// The parts with somebody in them.
    var written: [(partition: Int, part: SegmentPart)] {
        parts.compactMap { partition, part in part.map { (partition, $0) } }
    }
}
