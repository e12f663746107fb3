import LiveActivity
import RedisClient
import TimeCore

/// The queues of users for the drivers of topics. It does not depend on devices, so their writers may use it.
final class TopicQueues: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }
}

extension TopicQueues {
    /// Queues a user with changed devices for each running topic that the user follows or has a slot in.
    func deviceChanged(_ insiderID: String, _ user: UserRecord?, tenantID: String) async throws(StoreError) {
        let noted = try await values([
            RedisCommand("HKEYS", Keys.follows(tenantID, insiderID)),
            RedisCommand("SMEMBERS", Keys.waiting(tenantID, insiderID)),
        ])
        var names = Set(noted.flatMap { ($0.array ?? []).compactMap(\.string) })
        let now = wallClock()
        let places = (user?.memberships ?? []).filter { $0.membership.expiresAt > now }
        let hashes = try await values(places.map { RedisCommand("HGET", Keys.activity($0.activity), "topic") })
        names.formUnion(hashes.compactMap(\.string))
        guard !names.isEmpty else { return }
        let topics = names.map { TopicID(tenantID: tenantID, name: $0) }
        _ = try await values(topics.map { queue([insiderID], $0, at: now) })
        for topic in topics { noteDue(topic.shard, at: now.milliseconds) }
    }

    /// Queues users for the topic's driver, while the topic is live.
    func queue(_ insiderIDs: [String], _ topic: TopicID, at time: WallTime) -> RedisCommand {
        let call = Scripts.queueFollowers(
            topic: Keys.topic(topic), due: Keys.due(topic.shard), item: topic.description, at: time.milliseconds,
            users: insiderIDs)
        return call.command
    }
}
