public import LiveActivity
import RedisClient

extension StoredSegments {
    /// The time for which uploaded ids are kept after the last write, in milliseconds.
    static let segmentDraftsKept = 3_600_000

    /// Adds uploaded ids, and writes them to Redis if many are in memory. Returns false if the segment is too large.
    public func take(_ run: InsiderIDRun, into upload: inout SegmentUpload) async throws(StoreError) -> Bool {
        upload.add(run)
        guard upload.waitingBytes >= SegmentUpload.memory else { return true }
        var commands: [RedisCommand] = []
        for (bucket, bytes) in upload.waiting.enumerated() where upload.bytes(bucket) > 0 {
            let key = Keys.segmentDraft(upload.id, bucket)
            if !bytes.isEmpty { commands.append(RedisCommand("APPEND", key, bytes)) }
            commands.append(RedisCommand("PEXPIRE", key, StoredSegments.segmentDraftsKept))
        }
        _ = try await values(commands)
        upload.laidDown()
        return !upload.isTooLarge
    }

    /// Deletes the uploaded ids in Redis. If this fails, they expire.
    public func discard(_ upload: SegmentUpload) async {
        guard upload.hasStored else { return }
        let buckets = (0..<SegmentGeometry.buckets).filter { upload.storedBytes($0) > 0 }
        _ = try? await values(buckets.map { RedisCommand("UNLINK", Keys.segmentDraft(upload.id, $0)) })
    }

    /// Reads the ids of an upload in these buckets, unordered.
    func ids(of upload: SegmentUpload, in buckets: some Sequence<Int>) async throws(StoreError) -> [Int: InsiderIDRun] {
        let buckets = buckets.filter { upload.bytes($0) > 0 }
        let stored = buckets.filter { upload.storedBytes($0) > 0 }
        let replies = try await values(stored.map { RedisCommand("GET", Keys.segmentDraft(upload.id, $0)) })
        var bytes: [Int: [UInt8]] = [:]
        for (bucket, reply) in zip(stored, replies) {
            let laidDown = reply.bytes ?? []
            // The client took more than an hour for a megabyte, or Redis has lost data.
            guard laidDown.count == upload.storedBytes(bucket) else {
                throw .unavailable("a part of the upload is gone")
            }
            bytes[bucket] = laidDown
        }
        for bucket in buckets { bytes[bucket, default: []] += upload.waiting[bucket] }
        return bytes.mapValues { InsiderIDRun(bytes: $0) }
    }
}
