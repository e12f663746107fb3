public import Delivery
public import LiveActivity
import RedisClient
public import TimeCore

// Whether gateways can push, as they tell it in a broadcast's record and each other.
extension GatewayStore {
    /// Notes that nothing of a broadcast is sent for the time being, and why.
    public func notePaused(_ order: BroadcastOrder, _ reason: String) {
        note(order, ["paused", reason, "paused_at", "\(wallClock().milliseconds)"])
    }

    /// Takes that back.
    public func noteResumed(_ order: BroadcastOrder) {
        redis.send(RedisCommand("HDEL", Keys.broadcast(order.activity.id, order.id), "paused", "paused_at")) { _ in }
    }

    /// Tells all who work on the broadcast that every further push would fare alike.
    /// - Parameter kind: of which route that is so; nil for all.
    public func noteStop(_ reason: String, of order: BroadcastOrder, over kind: RouteKind? = nil) {
        let isOneOfSeveral = order.routeKinds.count > 1
        let field = kind.flatMap { isOneOfSeveral ? BroadcastHalt.stopField($0) : nil } ?? BroadcastHalt.stopField
        note(order, [field, reason])
    }

    /// Adds fields to the record, as long as the broadcast is under way. The first value of a field stands.
    private func note(_ order: BroadcastOrder, _ fields: [String]) {
        redis.send(
            RedisCommand(
                script: Scripts.noteBroadcast, keys: [Keys.broadcast(order.activity.id, order.id)], arguments: fields)
        ) { _ in }
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
