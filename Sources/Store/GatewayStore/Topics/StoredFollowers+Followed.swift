import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredFollowers {
    /// A topic that a user follows, and its state on one of the user's devices.
    public struct FollowedTopic: Sendable {
        /// The followed topic.
        public let topic: TopicRecord
        /// The device's state in the running activity; nil if the device is not in it.
        public let deviceState: DeviceState?
    }

    /// Returns the topics that a user follows: those of the user's preferences, and live topics whose owner lists the
    /// user.
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
        var topics: [TopicRecord] = []
        var deleted: [RedisCommand] = []
        for (id, hash) in zip(ids, hashes) {
            if let topic = TopicRecord(id, hash.fields) {
                topics.append(topic)
                continue
            }
            // Deleted topics do not count against the limit.
            deleted += [
                RedisCommand("HDEL", Keys.follows(tenantID, key.insiderID), id.name),
                RedisCommand("SREM", Keys.waiting(tenantID, key.insiderID), id.name),
            ]
        }
        _ = try await values(deleted)
        let follows = try await follows(key.insiderID, topics.map(\.id), tenantID: tenantID)
        topics = zip(topics, follows).filter(\.1).map(\.0)
        let states = try await states(of: topics, places)
        return topics.map { FollowedTopic(topic: $0, deviceState: states[$0.id]) }
    }

    /// Returns the states of a device with these places in the running activities of topics.
    private func states(
        of topics: [TopicRecord], _ places: [(id: UniqueID, slot: UInt32)]
    ) async throws(StoreError) -> [TopicID: DeviceState] {
        let slots = Dictionary(places.map { ($0.id, $0.slot) }) { first, _ in first }
        let found = topics.compactMap { topic -> (id: TopicID, activity: UniqueID, slot: UInt32)? in
            guard let activity = topic.activityID, !topic.isOver, let slot = slots[activity] else { return nil }
            return (topic.id, activity, slot)
        }
        let cells = try await roster.cells(
            found.map {
                let page = RosterGeometry.page(ofSlot: $0.slot)
                return roster.readCells(page, [RosterGeometry.index(ofSlot: $0.slot)], .update, $0.activity)
            })
        var states: [TopicID: DeviceState] = [:]
        for (place, cells) in zip(found, cells) {
            guard let cell = cells.first else { continue }
            states[place.id] = DeviceState(status: cell.status, token: cell.updateTokenState, isStartOver: false)
        }
        return states
    }
}
