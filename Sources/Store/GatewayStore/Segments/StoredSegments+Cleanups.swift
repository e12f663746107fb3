import LiveActivity
import RedisClient
import TimeCore

extension StoredSegments {
    /// For how long pages outlive the segment that they were part of: whoever reads a segment reads it as it was when
    /// the reading began. In milliseconds.
    static let segmentPagesOutlive = 1_800_000

    /// A cleanup task older than this is somebody's who is gone.
    private static let cleanupAge = TimeInterval.seconds(600)

    private static let commandsAtOnce = 2000

    /// Lets pages expire.
    func expire(_ parts: [(partition: Int, part: SegmentPart)]) async throws(StoreError) {
        var commands: [RedisCommand] = []
        for (partition, part) in parts {
            for key in part.keys(partition) {
                commands.append(RedisCommand("PEXPIRE", key, StoredSegments.segmentPagesOutlive))
            }
            if commands.count >= StoredSegments.commandsAtOnce {
                _ = try await values(commands)
                commands.removeAll()
            }
        }
        _ = try await values(commands)
    }

    /// Does what is noted under a change's id. What fails is left for others.
    func doCleanup(_ writer: UniqueID, tenantID: String) async {
        let key = Keys.segmentCleanups(tenantID)
        do throws(StoreError) {
            let bytes = try await value(RedisCommand("HGET", key, writer.description)).bytes
            guard let bytes, let cleanup = SegmentCleanup(bytes), cleanup.kind == .expiring else { return }
            try await expire(cleanup.parts)
            _ = try await value(RedisCommand("HDEL", key, writer.description))
        } catch {}
    }

    /// Does what gateways that are gone have left undone.
    func doLeftCleanups(tenantID: String) async throws(StoreError) {
        let key = Keys.segmentCleanups(tenantID)
        let now = wallClock()
        for (name, bytes) in try await value(RedisCommand("HGETALL", key)).fields {
            guard let cleanup = SegmentCleanup(bytes), cleanup.notedAt + StoredSegments.cleanupAge < now,
                let writer = UniqueID(String(decoding: name, as: UTF8.self))
            else { continue }
            if cleanup.kind == .writing {
                let taken = try await run(Scripts.takeOverSegmentCleanup, [key], [name, bytes])
                guard taken.int == 1 else { continue }
            }
            await doCleanup(writer, tenantID: tenantID)
        }
    }
}
