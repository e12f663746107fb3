public import Delivery
public import LiveActivity
import RedisClient
public import TimeCore

/// The push health that gateways report to each other.
public final class StoredHealth: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Publishes this gateway's push health for a provider's credential, and reads that of the others.
    /// - Parameters:
    /// - maximumAge: The age above which a report is ignored.
    /// - completion: Called with the other gateways' reports.
    public func exchangePushHealth(
        of identity: ProviderIdentity, as gateway: UniqueID, _ report: PushHealthReport,
        maximumAge: TimeInterval, completion: @escaping (Result<PeerHealth, StoreError>) -> Void
    ) {
        let key = Keys.pushHealth(identity)
        let now = wallClock()
        let name = gateway.description
        redis.send(RedisCommand("HSET", key, name, report.text(at: now))) { _ in }
        redis.send(RedisCommand("PEXPIRE", key, PeerHealth.kept(maximumAge).millisecondsRoundedUp)) { _ in }
        redis.call(RedisCommand("HGETALL", key)) { [redis] result in
            let others = result.map { reply in
                reply.fields.map { (String(decoding: $0.0, as: UTF8.self), String(decoding: $0.1, as: UTF8.self)) }
                    .filter { $0.0 != name }
            }
            let read = others.map { PeerHealth.read($0, now: now, maximumAge: maximumAge) }
            if case .success(let (_, gone)) = read, !gone.isEmpty {
                redis.send(RedisCommand("HDEL", arguments: [key] + gone)) { _ in }
            }
            completion(read.map(\.peers).mapError { StoreError($0) })
        }
    }
}
