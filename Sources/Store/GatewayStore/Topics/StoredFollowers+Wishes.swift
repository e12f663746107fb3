public import LiveActivity
import Reactor
import RedisClient
public import TimeCore

/// The result of a user's preference.
public enum FollowOutcome: Sendable {
    /// The preference is stored. The value is the topic's state.
    case noted(TopicState)
    case noTopic
    /// The user follows as many topics as the limit allows.
    case tooMany
}

extension StoredFollowers {
    /// The most topics that a user may follow.
    public static let topicsOfUser = 1000

    /// Writes a user's preference to follow a topic or not. A repeated preference changes nothing. While the topic is
    /// live, its driver starts or ends the Live Activity of all the user's devices.
    ///
    /// An unknown user is created, and counts in the tenant's quota.
    /// - Parameters:
    ///   - reportedAt: The time of the report. A preference never replaces a later one.
    ///   - limits: Pass nil to create no user; the result is then `noTopic` for an unknown user.
    /// - Throws: `StoreError.quotaReached` if the tenant has as many users as it may.
    public func setWish(
        _ follows: Bool, of insiderID: String, _ topic: TopicID, reportedAt: WallTime,
        _ limits: TenantLimits? = .standard
    ) async throws(StoreError) -> FollowOutcome {
        let stopped = Result<FollowOutcome, StoreError>.failure(.unavailable("the reactor has stopped"))
        let wish = FollowWish(
            topic: topic, insiderID: insiderID, follows: follows, reportedAt: reportedAt, limits: limits)
        return try await redis.reactor.call(stopped: stopped) { done in
            self.set(wish, completion: done)
        }.get()
    }

    /// A user's preference for a topic.
    struct FollowWish: Sendable {
        let topic: TopicID
        let insiderID: String
        let follows: Bool
        let reportedAt: WallTime
        let limits: TenantLimits?

        var text: String { follows ? "1" : "0" }
        var tenantID: String { topic.tenantID }
    }

    /// Writes a preference, on the reactor, in two round trips. Calls `completion` once there.
    func set(_ wish: FollowWish, completion: @escaping (Result<FollowOutcome, StoreError>) -> Void) {
        // Unknown users are rare, so no permit is held for other users.
        set(wish, .none, isLastTry: false, completion)
    }

    private func set(
        _ wish: FollowWish, _ permit: MakingPermit, isLastTry: Bool,
        _ completion: @escaping (Result<FollowOutcome, StoreError>) -> Void
    ) {
        note(wish, permit) { noted in
            switch noted {
            case .failure(let error): completion(.failure(error))
            case .success(.noted), .success(.madeUser): self.follow(wish, completion)
            case .success(.tooOld): completion(.failure(.tooOldReport))
            case .success(.erased): completion(.success(.noTopic))
            case .success(.unknown):
                self.mayMakeUser(wish) { answer in
                    switch answer {
                    case .success(let permit?): self.set(wish, permit, isLastTry: isLastTry, completion)
                    case .success(nil): completion(.success(.noTopic))
                    case .failure(let error): completion(.failure(error))
                    }
                }
            case .success(.tooMany):
                guard !isLastTry else { return completion(.success(.tooMany)) }
                self.forgetDeleted(wish) { self.set(wish, .none, isLastTry: true, completion) }
            }
        }
    }

    /// Writes a preference beside its user.
    private func note(
        _ wish: FollowWish, _ permit: MakingPermit,
        _ done: @escaping (Result<Scripts.NoteFollowReply, StoreError>) -> Void
    ) {
        let call = Scripts.noteFollow(
            follows: Keys.follows(wish.tenantID, wish.insiderID), erased: Keys.erased(wish.tenantID, wish.insiderID),
            user: Keys.user(wish.tenantID, wish.insiderID), topic: wish.topic.name, wish: wish.text,
            most: StoredFollowers.topicsOfUser, reported: UserRecord.encode(wish.reportedAt), may: permit.text,
            life: context.reportLife)
        redis.send(call.command) { result in
            let noted = call.result(result)
            if let limits = wish.limits {
                let made: Made =
                    switch (noted, result) {
                    case (.success(.madeUser), _): .userOnly
                    case (_, .failure(let error)) where permit.isHeld && error.mayHaveBeenExecuted: .unknown
                    default: .nothing
                    }
                self.usage.settle(permit, made, tenantID: wish.tenantID, limits)
            }
            done(noted)
        }
    }

    /// Gets a permit to create the user; nil if no user may be created, or the topic does not exist.
    private func mayMakeUser(_ wish: FollowWish, _ done: @escaping (Result<MakingPermit?, StoreError>) -> Void) {
        guard let limits = wish.limits else { return done(.success(nil)) }
        redis.send(RedisCommand("EXISTS", Keys.topic(wish.topic))) { reply in
            switch reply {
            case .failure(let error): return done(.failure(StoreError(error)))
            case .success(let view) where view.integer == 0: return done(.success(nil))
            case .success: break
            }
            self.usage.wait(wish.tenantID, limits, needsUser: true) { answer in
                if case .failure(.quotaReached(let limit, _)) = answer { self.refusals.count(limit) }
                done(answer.map { $0 })
            }
        }
    }

    /// Writes a preference beside its topic.
    private func follow(_ wish: FollowWish, _ completion: @escaping (Result<FollowOutcome, StoreError>) -> Void) {
        let now = wallClock().milliseconds
        let call = Scripts.followTopic(
            topic: Keys.topic(wish.topic), due: Keys.due(wish.topic.shard), item: wish.topic.description,
            user: wish.insiderID, wish: wish.text, reportedAt: wish.reportedAt.milliseconds, now: now,
            life: context.reportLife)
        redis.send(call.command) { result in
            switch call.result(result) {
            case .failure(let error): completion(.failure(error))
            case .success(.tooOld): completion(.failure(.tooOldReport))
            case .success(.noted(let text, let changed)):
                guard let state = TopicState(rawValue: text) else {
                    return completion(.failure(.damaged("a topic's state")))
                }
                if state == .live, changed { self.noteDue(wish.topic.shard, at: now) }
                completion(.success(.noted(state)))
            case .success(.noTopic):
                let follows = Keys.follows(wish.tenantID, wish.insiderID)
                self.redis.send(RedisCommand("HDEL", follows, wish.topic.name)) { _ in }
                completion(.success(.noTopic))
            }
        }
    }

    /// The number of a user's topics that are checked at the limit.
    private static let lookedAtOnce = 32

    /// Deletes some of a user's preferences for deleted topics. On the reactor.
    private func forgetDeleted(_ wish: FollowWish, _ completion: @escaping () -> Void) {
        let (follows, tenantID) = (Keys.follows(wish.tenantID, wish.insiderID), wish.tenantID)
        perform(
            { () throws(StoreError) in
                let some = RedisCommand("HRANDFIELD", follows, StoredFollowers.lookedAtOnce)
                let names = (try await self.value(some).array ?? []).compactMap(\.string)
                let exist = try await self.values(
                    names.map { RedisCommand("EXISTS", Keys.topic(TopicID(tenantID: tenantID, name: $0))) })
                let deleted = zip(names, exist).filter { $0.1.int == 0 }.map(\.0)
                if !deleted.isEmpty { _ = try await self.value(RedisCommand("HDEL", arguments: [follows] + deleted)) }
            },
            then: { _ in
                // After an error the limit still applies.
                completion()
            })
    }
}
