import LiveActivity
import RedisClient

/// The new parts of a stored segment. They are written already, under keys of their own, and not referenced yet.
struct SegmentDraft {
    let writer = UniqueID.random()
    let partitions: Int
    /// The new parts by partition; nil for an empty one. Other partitions stay unchanged.
    private(set) var parts: [Int: SegmentPart?] = [:]
    private(set) var users = 0

    init(partitions: Int) {
        self.partitions = partitions
    }

    /// Adds a partition, and returns the commands that write its pages. The pages expire unless the change is
    /// installed.
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

    var written: [(partition: Int, part: SegmentPart)] {
        parts.compactMap { partition, part in part.map { (partition, $0) } }
    }
}
