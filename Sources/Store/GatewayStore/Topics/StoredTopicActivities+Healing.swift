import LiveActivity
import RedisClient
import TimeCore

extension StoredTopicActivities {
    /// How many pages are looked at in one look; the others are looked at in the next.
    private static let pagesInLook = 256

    /// Queues the followers who have lost their Live Activity, or never got one: the start was refused or never sent, or the
    /// update token is dead. Only pages are read in which that has happened: it costs by what is wrong.
    /// - Returns: how many slots were found.
    public func lookForLost(_ topic: TopicID, in record: ActivityRecord) async throws(StoreError) -> Int {
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
        for look in noted.prefix(StoredTopicActivities.pagesInLook) {
            let page = look.page
            let lost = try await run(
                Scripts.findCardless, [Keys.statusPage(activity.id, page), Keys.updatePage(activity.id, page)], [])
            let indexes = (lost.array ?? []).compactMap { $0.int.map { Int($0) } }
            if !indexes.isEmpty {
                let read = try await value(RedisCommand("HGETALL", Keys.identityPage(activity.id, page)))
                let identities = IdentityPage(read.fields)
                let users = indexes.compactMap { identities.identity($0)?.insiderID }
                found += users.count
                if !users.isEmpty { _ = try await value(queues.queue(users, topic, at: wallClock())) }
            }
            _ = try await run(
                Scripts.forgetLook, [Keys.looks(activity.id, look.partition)], ["\(page)", look.count])
        }
        return found
    }

    /// Notes when it was looked.
    public func noteLook(_ lease: TopicLease) async throws(StoreError) {
        try await note("looked_at", "\(wallClock().milliseconds)", lease)
    }

    /// Whether it is time for a look.
    /// - Parameter interval: between looks.
    public func isTimeForLook(_ topic: TopicRecord, interval: TimeInterval) -> Bool {
        guard let last = topic.lookedAt else { return true }
        return last + interval <= wallClock() || last > wallClock() + interval
    }
}
