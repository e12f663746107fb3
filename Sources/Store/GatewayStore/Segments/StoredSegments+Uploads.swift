public import LiveActivity
import RedisClient

extension StoredSegments {
    /// For how long what was uploaded is kept when nothing more of it comes; in milliseconds.
    static let segmentDraftsKept = 3_600_000

    /// Takes uploaded ids, and lays them down when many wait. False when there are more than a segment can hold.
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

    /// Drops what was laid down. Should this fail, it expires.
    public func discard(_ upload: SegmentUpload) async {
        guard upload.hasStored else { return }
        let buckets = (0..<SegmentGeometry.buckets).filter { upload.storedBytes($0) > 0 }
        _ = try? await values(buckets.map { RedisCommand("UNLINK", Keys.segmentDraft(upload.id, $0)) })
    }

    /// The ids of an upload in these buckets, in no order.
    func ids(of upload: SegmentUpload, in buckets: some Sequence<Int>) async throws(StoreError) -> [Int: InsiderIDRun] {
        let buckets = buckets.filter { upload.bytes($0) > 0 }
        let stored = buckets.filter { upload.storedBytes($0) > 0 }
        let replies = try await values(stored.map { RedisCommand("GET", Keys.segmentDraft(upload.id, $0)) })
        var bytes: [Int: [UInt8]] = [:]
        for (bucket, reply) in zip(stored, replies) {
            let laidDown = reply.bytes ?? []
            // A client that took more than an hour for a megabyte, or a Redis that lost what it had.
            guard laidDown.count == upload.storedBytes(bucket) else {
                throw .unavailable("a part of the upload is gone")
            }
            bytes[bucket] = laidDown
        }
        for bucket in buckets { bytes[bucket, default: []] += upload.waiting[bucket] }
        return bytes.mapValues { InsiderIDRun(bytes: $0) }
    }
}
