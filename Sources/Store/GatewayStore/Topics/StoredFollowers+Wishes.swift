public import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// What became of a user's wish.
public enum FollowOutcome: Sendable {
    /// It is noted; where the topic stands.
    case noted(TopicState)
    case noTopic
    /// The user follows as many topics as a user may.
    case tooMany
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

    /// The same, on the reactor, in two round trips. `completion` is called once, there.
    func setWish(
        _ follows: Bool, of insiderID: String, _ topic: TopicID, reportedAt: WallTime, isLastTry: Bool = false,
        completion: @escaping (Result<FollowOutcome, StoreError>) -> Void
    ) {
        let followsKey = Keys.follows(topic.tenantID, insiderID)
        let wish = follows ? "1" : "0"
        let note = RedisCommand(
            script: Scripts.noteFollow,
            keys: [followsKey, Keys.erased(topic.tenantID, insiderID)],
            arguments: [topic.name, wish, StoredFollowers.topicsOfUser, UserRecord.encode(reportedAt)])
        let follow = RedisCommand(
            script: Scripts.followTopic, keys: [Keys.topic(topic), Keys.due(topic.shard)],
            arguments: [
                topic.description, insiderID, wish, reportedAt.milliseconds, wallClock().milliseconds,
            ])
        redis.send(note) { reply in
            switch reply {
            case .failure(let error): return completion(.failure(StoreError(error)))
            case .success(let noted) where noted.integer == -1:
                // Whoever said so is not known any more.
                return completion(.success(.noTopic))
            case .success(let noted) where noted.integer != 1:
                guard !isLastTry else { return completion(.success(.tooMany)) }
                return self.forgetDeleted(followsKey, topic.tenantID) {
                    self.setWish(
                        follows, of: insiderID, topic, reportedAt: reportedAt, isLastTry: true, completion: completion)
                }
            case .success: break
            }
            self.redis.send(follow) { reply in
                switch reply {
                case .failure(let error): completion(.failure(StoreError(error)))
                case .success(let view):
                    let text = view.isNull ? nil : view.elements.first?.string
                    if let state = text.flatMap(TopicState.init) { return completion(.success(.noted(state))) }
                    self.redis.send(RedisCommand("HDEL", followsKey, topic.name)) { _ in }
                    completion(.success(.noTopic))
                }
            }
        }
    }

    /// How many of a user's topics are looked at when there are too many.
    private static let lookedAtOnce = 32

    /// Forgets some of a user's topics that are not there any more. On the reactor.
    private func forgetDeleted(_ follows: String, _ tenantID: String, _ completion: @escaping () -> Void) {
        // Confined to the reactor: it is called there.
        nonisolated(unsafe) let completion = completion
        Task {
            do {
                let some = RedisCommand("HRANDFIELD", follows, StoredFollowers.lookedAtOnce)
                let names = (try await value(some).array ?? []).compactMap(\.string)
                let exist = try await values(
                    names.map { RedisCommand("EXISTS", Keys.topic(TopicID(tenantID: tenantID, name: $0))) })
                let deleted = zip(names, exist).filter { $0.1.int == 0 }.map(\.0)
                if !deleted.isEmpty { _ = try await value(RedisCommand("HDEL", arguments: [follows] + deleted)) }
            } catch {
                // Then there are as many as before.
            }
            // Without a reactor nobody waits any more.
            _ = self.redis.reactor.execute { completion() }
        }
    }

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
