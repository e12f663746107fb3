import LiveActivity
import RedisClient
import TimeCore

extension StoredSegments {
    /// For how long pages outlive the segment that they were part of: whoever reads a segment reads it as it was when he
    /// began. In milliseconds.
    static let segmentPagesOutlive = 1_800_000

    /// A chore older than this is somebody's who is gone.
    private static let choreAge = TimeInterval.seconds(600)

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
    func doChore(_ writer: UniqueID, tenantID: String) async {
        let key = Keys.segmentChores(tenantID)
        do throws(StoreError) {
            let bytes = try await value(RedisCommand("HGET", key, writer.description)).bytes
            guard let bytes, let chore = SegmentChore(bytes), chore.kind == .expiring else { return }
            try await expire(chore.parts)
            _ = try await value(RedisCommand("HDEL", key, writer.description))
        } catch {}
    }

    /// Does what gateways that are gone have left undone.
    func doLeftChores(tenantID: String) async throws(StoreError) {
        let key = Keys.segmentChores(tenantID)
        let now = wallClock()
        for (name, bytes) in try await value(RedisCommand("HGETALL", key)).fields {
            guard let chore = SegmentChore(bytes), chore.notedAt + StoredSegments.choreAge < now,
                let writer = UniqueID(String(decoding: name, as: UTF8.self))
            else { continue }
            if chore.kind == .writing {
                let taken = try await run(Scripts.takeOverSegmentChore, [key], [name, bytes])
                guard taken.int == 1 else { continue }
            }
            await doChore(writer, tenantID: tenantID)
        }
    }
}
