import LiveActivity
import RedisClient
import TimeCore

extension StoredFollowers {
    /// A topic that a user follows, and what of it is on one of the user's devices.
    public struct FollowedTopic: Sendable {
        /// What is followed.
        public let topic: TopicRecord
        /// What of the running activity is on the device; nil when there is nothing.
        public let deviceState: DeviceState?
    }

    /// What a user follows: by the user's own word, and the live topics whose owner has the user on a list.
    public func followed(_ key: DeviceKey, tenantID: String) async throws(StoreError) -> [FollowedTopic] {
        let replies = try await values([
            RedisCommand("HKEYS", Keys.follows(tenantID, key.insiderID)),
            RedisCommand("HGETALL", Keys.user(tenantID, key.insiderID)),
            RedisCommand("SMEMBERS", Keys.waiting(tenantID, key.insiderID)),
        ])
        var names = Set([replies[0], replies[2]].flatMap { ($0.array ?? []).compactMap(\.string) })
        let user = UserRecord(replies[1].fields)
        let now = wallClock()
        let places = user?.places(key.udid, now: now) ?? []
        let memberships = (user?.memberships ?? []).filter { $0.membership.expiresAt > now }
        let ofActivities = try await values(
            memberships.map { RedisCommand("HGET", Keys.activity($0.activity), "topic") })
        names.formUnion(ofActivities.compactMap(\.string))
        let ids = names.sorted().map { TopicID(tenantID: tenantID, name: $0) }
        let hashes = try await values(ids.map { RedisCommand("HGETALL", Keys.topic($0)) })
        var followed: [FollowedTopic] = []
        for (id, hash) in zip(ids, hashes) {
            guard let topic = TopicRecord(id, hash.fields) else {
                // It has been deleted, and counts no more.
                _ = try await values([
                    RedisCommand("HDEL", Keys.follows(tenantID, key.insiderID), id.name),
                    RedisCommand("SREM", Keys.waiting(tenantID, key.insiderID), id.name),
                ])
                continue
            }
            guard try await follow([key.insiderID], id) == [true] else {
                continue
            }
            var state: DeviceState?
            if let activity = topic.activityID, !topic.isOver,
                let slot = places.first(where: { $0.id == activity })?.slot
            {
                let page = RosterGeometry.page(ofSlot: slot)
                let reply = try await value(
                    roster.readCells(page, [RosterGeometry.index(ofSlot: slot)], .update, activity))
                if let cell = CellReply.decode(reply).first {
                    state = DeviceState(status: cell.status, token: cell.updateTokenState, isStartOver: false)
                }
            }
            followed.append(FollowedTopic(topic: topic, deviceState: state))
        }
        return followed
    }
}
