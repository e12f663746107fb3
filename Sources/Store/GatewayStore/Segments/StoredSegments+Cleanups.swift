import LiveActivity
import RedisClient
import TimeCore

extension StoredSegments {
    /// The time for which pages outlive their segment, in milliseconds. A reader sees the segment as it was when the
    /// reading began.
    static let segmentPagesOutlive = 1_800_000

    /// The age from which a cleanup task belongs to a lost gateway.
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

    /// Carries out the cleanup task of a change. A failed task stays for a later change.
    func doCleanup(_ writer: UniqueID, tenantID: String) async {
        let key = Keys.segmentCleanups(tenantID)
        do throws(StoreError) {
            let bytes = try await value(RedisCommand("HGET", key, writer.description)).bytes
            guard let bytes, let cleanup = SegmentCleanup(bytes), cleanup.kind == .expiring else { return }
            try await expire(cleanup.parts)
            _ = try await value(RedisCommand("HDEL", key, writer.description))
        } catch {}
    }

    /// Carries out the cleanup tasks of lost gateways.
    func doLeftCleanups(tenantID: String) async throws(StoreError) {
        let key = Keys.segmentCleanups(tenantID)
        let now = wallClock()
        for (name, bytes) in try await value(RedisCommand("HGETALL", key)).fields {
            guard let cleanup = SegmentCleanup(bytes), cleanup.notedAt + StoredSegments.cleanupAge < now,
                let writer = UniqueID(String(decoding: name, as: UTF8.self))
            else { continue }
            if cleanup.kind == .writing {
                let call = Scripts.takeOverSegmentCleanup(cleanups: key, writer: name, cleanup: bytes)
                guard try await run(call) else { continue }
            }
            await doCleanup(writer, tenantID: tenantID)
        }
    }
}
