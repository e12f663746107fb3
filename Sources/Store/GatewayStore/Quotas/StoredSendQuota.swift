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
        let call = Scripts.takePermits(
            quota: key, count: max(1, count), limit: messagesPerMinute, rampUp: microseconds(rampUp), now: now)
        redis.send(call.command) { result in
            guard case .success(let reply) = call.result(result) else { return completion(.unavailable) }
            completion(.granted(reply.permits, wait: .milliseconds(reply.wait)))
        }
    }

    /// Pauses the quota. Runs on the store's reactor and ignores errors, because the provider repeats its refusal.
    public func quotaExceeded(wait: TimeInterval) {
        redis.send(Scripts.slowDown(quota: key, wait: microseconds(wait), now: now).command) { _ in }
    }

    /// Halves the rate. Runs on the store's reactor and ignores errors.
    public func slowDown() {
        redis.send(Scripts.slowDown(quota: key, wait: "", now: now).command) { _ in }
    }

    private var now: String { clock.map { String($0().milliseconds &* 1_000) } ?? "" }

    private func microseconds(_ interval: TimeInterval) -> String { String(interval.nanoseconds / 1_000) }
}
