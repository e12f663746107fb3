import Encodings
public import LiveActivity
import RedisClient
import Secrets
public import TimeCore

/// The state of an idempotency key.
public enum IdempotencyClaim: Sendable {
    /// The caller carries the request out under this id, and then calls `answer` or `letGo`. A gateway received the
    /// first request with the key at `arrived`.
    case claimed(UniqueID, arrived: WallTime)
    /// The first request with it is under way, under this id.
    case underWay(UniqueID)
    case answered(status: Int, reply: [UInt8])
    /// The key was used with another body.
    case reused
}

/// Answers to requests that came with an idempotency key, so that a repetition gets the same one.
public final class StoredAnswers: StoreFeature {
    let context: StoreContext
    private let budget = AnswerBudget()

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Names one use of an idempotency key: the same key of another tenant or route is another one.
    public struct IdempotencyKey: Sendable {
        let tenantID: String
        let redisKey: String
        let bodyHash: [UInt8]
        let holder: KeyHolder

        /// Keeps hashes of the key and the body, and neither of the two.
        public init(
            tenantID: String, route: String, key: String, body: [UInt8], holder: KeyHolder = .customer
        ) {
            let name = Hexadecimal.encode(Digest.sha256(Array("\(route)\n\(key)".utf8)))
            self.tenantID = tenantID
            redisKey = Keys.idempotency(tenantID, name)
            bodyHash = Digest.sha256(body)
            self.holder = holder
        }
    }

    /// A claim whose holder died can be claimed again after `hold`, with the id that the first one proposed.
    /// - Parameter arrived: The time at which this gateway received the request. Pass nil for now.
    public func claim(
        _ key: IdempotencyKey, proposing id: UniqueID, arrived: WallTime? = nil, hold: TimeInterval
    ) async throws(StoreError) -> IdempotencyClaim {
        let now = wallClock()
        let arrived = arrived ?? now
        let call = Scripts.claimIdempotencyKey(
            record: key.redisKey, body: key.bodyHash, id: id.description, now: now.milliseconds,
            heldUntil: (now + hold).milliseconds, arrived: arrived.milliseconds, kept: budget.life(key))
        switch try await run(call) {
        case .claimed(let id, let first):
            return .claimed(try StoredAnswers.id(id), arrived: WallTime(milliseconds: Int64(first)))
        case .underWay(let id): return .underWay(try StoredAnswers.id(id))
        case .reused: return .reused
        case .answered(let status, let answer): return .answered(status: status, reply: answer)
        }
    }

    private static func id(_ text: String) throws(StoreError) -> UniqueID {
        guard let id = UniqueID(text) else { throw .damaged("an idempotency key") }
        return id
    }

    /// True if the key was used a while ago or is in use, with any body.
    public func isKnown(_ key: IdempotencyKey) async throws(StoreError) -> Bool {
        try await value(RedisCommand("EXISTS", key.redisKey)).int == 1
    }

    /// Keeps the answer for repetitions, if there is none yet.
    /// - Returns: The answer of another gateway that claimed the key while the caller slept; nil if there is none.
    public func answer(
        _ key: IdempotencyKey, status: Int, reply: [UInt8]
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])? {
        let life = budget.life(key)
        let call = Scripts.answerIdempotencyKey(
            record: key.redisKey, body: key.bodyHash, status: status, reply: reply, kept: life)
        let stored = try call.reply(try await noting(key, reply.count, kept: life, [call.command])[0])
        return stored.answer == reply ? nil : (stored.status, stored.answer)
    }

    /// Ends the claim of a request whose result is not known. The next request with the key continues under the same
    /// id.
    /// - Parameter forgetsArrival: True if the next request with the key counts from its own arrival.
    /// - Returns: The answer of another gateway that claimed the key while the caller slept; nil if there is none.
    @discardableResult
    public func letGo(
        _ key: IdempotencyKey, forgetsArrival: Bool = false
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])? {
        let life = budget.life(key)
        let forgetting = forgetsArrival ? [RedisCommand("HDEL", key.redisKey, "arrived")] : []
        let replies = try await noting(
            key, 0, kept: life,
            forgetting + [
                RedisCommand("HSET", key.redisKey, "until", 0),
                RedisCommand("PEXPIRE", key.redisKey, life),
                RedisCommand("HMGET", key.redisKey, "status", "reply"),
            ])
        guard let parts = replies.last?.array, parts.count == 2, let reply = parts[1].bytes,
            let status = parts[0].string.flatMap({ Int($0) })
        else { return nil }
        return (status, reply)
    }

    /// True if the kept answers of the key's tenant use up their budget, so that only short ones are kept.
    public func isBudgetSpent(_ key: IdempotencyKey) -> Bool { budget.isSpent(key) }

    /// Runs commands together with one that counts the bytes of the key and its answer. Returns the commands' replies.
    private func noting(
        _ key: IdempotencyKey, _ bytes: Int, kept life: Int64, _ commands: [RedisCommand]
    ) async throws(StoreError) -> [RedisValue] {
        let note = AnswerBudget.note(key, bytes, kept: life, now: wallClock())
        var replies = try await values(commands + [note.command])
        budget.heard(try note.reply(replies.removeLast()), key)
        return replies
    }

    /// Extends a claim, for work that takes long.
    /// - Parameter hold: The time from now.
    public func renew(_ key: IdempotencyKey, hold: TimeInterval) async throws(StoreError) {
        _ = try await values([
            RedisCommand("HSET", key.redisKey, "until", (wallClock() + hold).milliseconds),
            // HSET creates a key that was not kept, which must expire too.
            RedisCommand("PEXPIRE", key.redisKey, budget.life(key)),
        ])
    }
}
