public import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// What became of a user's wish.
public enum FollowOutcome: Sendable {
    /// It is noted; where the topic stands.
    case noted(TopicState)
    case noTopic
}

extension StoredFollowers {
    /// How many topics a user may follow.
    public static let topicsOfUser = 1000

    /// Notes a user's wish to follow a topic, or not to any more. Saying it again changes nothing. While the topic is live its
    /// driver has the Live Activity of all the user's devices started, or ended.
    /// - Parameter reportedAt: a later wish is not undone.
    public func setWish(
        _ follows: Bool, of insiderID: String, _ topic: TopicID, reportedAt: WallTime
    ) async throws(StoreError) -> FollowOutcome {
        let stopped = Result<FollowOutcome, StoreError>.failure(.unavailable("the reactor has stopped"))
        return try await redis.reactor.call(stopped: stopped) { done in
            self.setWish(follows, of: insiderID, topic, reportedAt: reportedAt, completion: done)
        }.get()
    }

    /// The same, on the reactor, in one round trip. `completion` is called once, there.
    func setWish(
        _ follows: Bool, of insiderID: String, _ topic: TopicID, reportedAt: WallTime,
        completion: @escaping (Result<FollowOutcome, StoreError>) -> Void
    ) {
        let followsKey = Keys.follows(topic.tenantID, insiderID)
        let wish = follows ? "1" : "0"
        let note = RedisCommand(
            script: Scripts.noteFollow, keys: [followsKey],
            arguments: [topic.name, wish, StoredFollowers.topicsOfUser])
        let follow = RedisCommand(
            script: Scripts.followTopic, keys: [Keys.topic(topic), Keys.due(topic.shard)],
            arguments: [
                topic.description, insiderID, wish, reportedAt.milliseconds, wallClock().milliseconds,
            ])
        // They lie on different nodes in a cluster, and so may be answered in either order.
        var noted: Result<Bool, StoreError>?
        var outcome: Result<FollowOutcome, StoreError>?
        func finish() {
            guard let noted, let outcome else { return }
            if case .success(.noTopic) = outcome {
                redis.send(RedisCommand("HDEL", followsKey, topic.name)) { _ in }
            }
            completion(noted.flatMap { $0 ? outcome : .failure(.full) })
        }
        redis.send(note) { reply in
            noted = reply.map { $0.integer == 1 }.mapError { StoreError($0) }
            finish()
        }
        redis.send(follow) { reply in
            outcome = reply.map { view in
                guard !view.isNull, let state = view.elements.first.flatMap({ TopicState(rawValue: $0.string) }) else {
                    return .noTopic
                }
                return .noted(state)
            }.mapError { StoreError($0) }
            finish()
        }
    }

    /// A topic that a user follows, and what of it is on one of the user's devices.
    public struct FollowedTopic: Sendable {
        public let topic: TopicRecord
        /// What of the running activity is on the device; nil when there is nothing.
        public let deviceState: DeviceState?
    }

    /// What a user follows: by the user's own word, and the live topics whose owner has the user on a list.
    public func followed(_ key: DeviceKey, tenantID: String) async throws(StoreError) -> [FollowedTopic] {
        let replies = try await values([
            RedisCommand("HGETALL", Keys.follows(tenantID, key.insiderID)),
            RedisCommand("HGETALL", Keys.user(tenantID, key.insiderID)),
        ])
        var names = Set(replies[0].fields.map { String(decoding: $0.name, as: UTF8.self) })
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
            guard let topic = TopicRecord(id, hash.fields), try await follow([key.insiderID], id) == [true] else {
                continue
            }
            var state: DeviceState?
            if let activity = topic.activityID, !topic.isOver, let slot = places.first(where: { $0.id == activity })?.slot {
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
