import LiveActivity
import RedisClient

// The hash of an insider_id selects the one partition that may have the user, which is a page or a few. So the cost of
// a search grows with the number of segments, not with their sizes.
extension StoredSegments {
    /// Returns the segments that have a user, with the keys of the pages.
    func holding(
        _ insiderID: String, among names: [String], _ owner: String
    ) async throws(StoreError) -> [(name: String, pages: [String])] {
        var id: [UInt8] = []
        PackedName.append(insiderID, to: &id)
        return try await holding(id, among: names, owner)
    }

    /// Returns the segments that have an id, with the keys of the pages that contain it.
    func holding(
        _ id: [UInt8], among names: [String], _ owner: String
    ) async throws(StoreError) -> [(name: String, pages: [String])] {
        let bucket = SegmentGeometry.bucket(id)
        let sizes = try await values(names.map { RedisCommand("HGET", Keys.segment(owner, $0), "partitions") })
        let places = zip(names, sizes).compactMap { name, size -> (name: String, partition: Int)? in
            guard let partitions = size.int, (1...Int64(SegmentGeometry.buckets)).contains(partitions) else {
                return nil
            }
            return (name, SegmentGeometry.partition(ofBucket: bucket, in: Int(partitions)))
        }
        let parts = try await values(
            places.map { RedisCommand("HGET", Keys.segment(owner, $0.name), $0.partition) })
        let keys = zip(places, parts).map { place, part in
            part.bytes.flatMap { SegmentPart($0) }?.keys(place.partition) ?? []
        }
        let pages = try await values(keys.joined().map { RedisCommand("GET", $0) })
        var found: [(name: String, pages: [String])] = []
        var next = 0
        for (place, keys) in zip(places, keys) {
            let own = pages[next..<(next + keys.count)]
            next += keys.count
            let holding = zip(keys, own).filter { StoredSegments.has(id, $0.1.bytes ?? []) }.map(\.0)
            if !holding.isEmpty { found.append((place.name, holding)) }
        }
        return found
    }

    private static func has(_ id: [UInt8], _ page: [UInt8]) -> Bool {
        var isThere = false
        _ = SegmentPage.forEach(page) { if $0.elementsEqual(id) { isThere = true } }
        return isThere
    }
}
