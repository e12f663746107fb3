public import Delivery
import RedisClient
public import TimeCore

/// A project's quota of messages in Redis. All gateways take permits from it, so that together they stay within the
/// quota in any minute; see `QuotaRules`.
public final class StoredSendQuota: SendQuota {
    private let redis: RedisClient
    private let key: String
    private let messagesPerMinute: Int
    private let rampUp: TimeInterval
    private let clock: (@Sendable () -> WallTime)?

    /// - Parameters:
    ///   - project: of letters, digits and the characters `-`, `.`, `:`, `_`. Equal names share the quota.
    ///   - messagesPerMinute: must be equal on all gateways; values under 1 count as 1.
    ///   - rampUp: the time in which the rate grows from a tenth to the whole, from the first use and after a minute
    ///     without use.
    ///   - clock: nil for Redis's own clock, which all gateways share.
    public init(
        _ store: GatewayStore, project: String, messagesPerMinute: Int, rampUp: TimeInterval = .seconds(60),
        clock: (@Sendable () -> WallTime)? = nil
    ) {
        redis = store.redis
        key = Keys.quota(project)
        self.messagesPerMinute = max(1, messagesPerMinute)
        self.rampUp = rampUp
        self.clock = clock
    }

    /// Takes permits. Must run on the store's reactor, which is also the push client's.
    public func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void) {
        let command = RedisCommand(
            script: Scripts.takePermits, keys: [key],
            arguments: [String(max(1, count)), String(messagesPerMinute), microseconds(rampUp), now])
        redis.call(command) { result in
            guard case .success(let value) = result, let parts = value.array, parts.count == 2,
                let granted = parts[0].int, let wait = parts[1].int
            else { return completion(.unavailable) }
            completion(.granted(Int(clamping: granted), wait: .milliseconds(Int(clamping: wait))))
        }
    }

    /// Pauses the quota. Runs on the store's reactor and ignores errors, because the provider repeats its refusal.
    public func quotaExceeded(wait: TimeInterval) {
        redis.call(
            RedisCommand(script: Scripts.slowDown, keys: [key], arguments: [microseconds(wait), now])
        ) { _ in }
    }

    /// Halves the rate. Runs on the store's reactor and ignores errors.
    public func slowDown() {
        redis.call(RedisCommand(script: Scripts.slowDown, keys: [key], arguments: ["", now])) { _ in }
    }

    private var now: String { clock.map { String($0().milliseconds &* 1_000) } ?? "" }

    private func microseconds(_ interval: TimeInterval) -> String { String(interval.nanoseconds / 1_000) }
}
