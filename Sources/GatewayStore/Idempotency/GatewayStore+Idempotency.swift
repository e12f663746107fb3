import LiveActivity
import RedisClient
import Secrets
public import TimeCore

/// What is known of an idempotency key.
public enum IdempotencyClaim: Sendable {
    /// Nobody has used it: the caller carries the request out and then calls `answer` or `release`.
    case claimed
    /// The first request with it is under way.
    case underWay
    case answered(status: Int, reply: [UInt8])
    /// It was used with another body.
    case reused
}

extension GatewayStore {
    /// Names one use of an idempotency key: the same key of another tenant or route is another one.
    public struct IdempotencyKey: Sendable {
        let redisKey: String
        let bodyHash: [UInt8]

        public init(tenantID: String, route: String, key: String, body: [UInt8]) {
            let name = Hexadecimal.encode(Digest.sha256(Array("\(route)\n\(key)".utf8)))
            redisKey = Keys.idempotency(tenantID, name)
            bodyHash = Digest.sha256(body)
        }
    }

    /// A claim whose holder died is free again after `hold`.
    public func claim(_ key: IdempotencyKey, hold: TimeInterval) async throws(StoreError) -> IdempotencyClaim {
        let reply = try await run(
            Scripts.claimIdempotencyKey, [key.redisKey], [key.bodyHash, Int(hold.millisecondsRoundedUp)])
        let parts = reply.array ?? []
        switch parts.first?.int {
        case 1: return .claimed
        case 2: return .reused
        case 3 where parts.count == 3: return .answered(status: Int(parts[1].int ?? 200), reply: parts[2].bytes ?? [])
        default: return .underWay
        }
    }

    /// Keeps the answer for repetitions, for a day.
    public func answer(_ key: IdempotencyKey, status: Int, reply: [UInt8]) async throws(StoreError) {
        _ = try await values([
            RedisCommand("HSET", key.redisKey, "body", key.bodyHash, "status", status, "reply", reply),
            RedisCommand("PEXPIRE", key.redisKey, 86_400_000),
        ])
    }

    /// Gives the key back: the request had no effect and may be tried again.
    public func release(_ key: IdempotencyKey) async throws(StoreError) {
        _ = try await value(RedisCommand("DEL", key.redisKey))
    }
}
