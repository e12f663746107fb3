public import Delivery
import RedisClient
public import TimeCore

/// The quota of messages of one project, in Redis: all gateways take permits out of it. In any minute no more messages
/// leave by them than the quota allows, however many gateways there are; see `QuotaRules`.
public final class StoredSendQuota: SendQuota {
    private let redis: RedisClient
    private let key: String
    private let messagesPerMinute: Int
    private let rampUp: TimeInterval
    private let clock: (@Sendable () -> WallTime)?

    /// - Parameters:
    ///   - project: of letters, digits and the characters `-`, `.`, `:`, `_`. Whoever names the same shares the quota.
    ///   - messagesPerMinute: all gateways must have the same; under 1 counts as 1.
    ///   - rampUp: from the first use on, and after a minute without any, the rate grows from a tenth to the whole in
    ///     so long.
    ///   - clock: nil for Redis's own, which all gateways share.
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

    /// On the store's reactor, which must be the push client's.
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

    /// On the store's reactor. Nobody learns whether Redis has heard it; whoever sends too much is told again.
    public func quotaExceeded(wait: TimeInterval) {
        redis.call(
            RedisCommand(script: Scripts.slowDown, keys: [key], arguments: [microseconds(wait), now])
        ) { _ in }
    }

    /// On the store's reactor, and told as `quotaExceeded` is.
    public func slowDown() {
        redis.call(RedisCommand(script: Scripts.slowDown, keys: [key], arguments: ["", now])) { _ in }
    }

    private var now: String { clock.map { String($0().milliseconds &* 1_000) } ?? "" }

    private func microseconds(_ interval: TimeInterval) -> String { String(interval.nanoseconds / 1_000) }
}
