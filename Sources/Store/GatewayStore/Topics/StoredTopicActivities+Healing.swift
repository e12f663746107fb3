import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredTopicActivities {
    /// The most pages of one search. The next search continues.
    private static let pagesInLook = 256

    /// Queues followers who lack their Live Activity: the start failed or was not sent, or the update token is dead.
    /// Reads only pages with a record of a loss, so the cost grows with the losses.
    /// - Returns: The number of slots found.
    public func lookForLost(_ topic: TopicRecord, in record: ActivityRecord) async throws(StoreError) -> Int {
        let activity = record.activity
        let partitions = record.partitions
        let replies = try await values(partitions.map { RedisCommand("HGETALL", Keys.looks(activity.id, $0)) })
        var noted: [(partition: Int, page: Int, count: String)] = []
        for (partition, reply) in zip(partitions, replies) {
            for (page, count) in reply.fields {
                guard let page = Int(String(decoding: page, as: UTF8.self)) else { continue }
                noted.append((partition, page, String(decoding: count, as: UTF8.self)))
            }
        }
        var found = 0
        for note in noted.prefix(StoredTopicActivities.pagesInLook) {
            found += try await look(at: note.page, topic.id, in: record)
            _ = try await run(
                Scripts.deleteField(
                    hash: Keys.looks(activity.id, note.partition), field: "\(note.page)", value: note.count))
        }
        return found
    }

    /// Queues the users of the slots in a page that lack their Live Activity, and returns their number.
    func look(at page: Int, _ topic: TopicID, in record: ActivityRecord) async throws(StoreError) -> Int {
        let found = try await run(roster.findLost([page], for: .follower, in: record))
        guard !found.isEmpty else { return 0 }
        let identities = try await identities(page, of: record.activity.id)
        let users = found.compactMap {
            identities.identity(RosterGeometry.index(ofSlot: UInt32(clamping: $0)))?.insiderID
        }
        // A dead token is queued at once, for the time at which its Live Activity counts as lost.
        if !users.isEmpty { _ = try await value(queues.queue(users, topic, at: wallClock())) }
        return users.count
    }

    /// Records the time of the search.
    public func noteLook(_ lease: TopicLease) async throws(StoreError) {
        try await note("looked_at", "\(wallClock().milliseconds)", lease)
    }

    /// True if the next search is due.
    /// - Parameter interval: The time between searches.
    public func isTimeForLook(_ topic: TopicRecord, interval: TimeInterval) -> Bool {
        guard let last = topic.lookedAt else { return true }
        return last + interval <= wallClock() || last > wallClock() + interval
    }
}
