public import Delivery
public import LiveActivity
import RedisClient
public import TimeCore

/// Whether gateways can push, as they tell each other.
public final class StoredHealth: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Tells the other gateways with a provider's credential how this one fares, and hears how they do.
    /// - Parameters:
    ///   - maximumAge: what was told longer ago counts for nothing.
    ///   - completion: called with the others.
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
