public import LiveActivity
public import PushProtocol
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
    public func noteStop(_ reason: String, of order: BroadcastOrder) {
        note(order, ["stop", reason])
    }

    /// Adds fields to the record, as long as the broadcast is under way. The first value of a field stands.
    private func note(_ order: BroadcastOrder, _ fields: [String]) {
        redis.send(
            RedisCommand(
                script: Scripts.noteBroadcast, keys: [Keys.broadcast(order.activity.id, order.id)], arguments: fields)
        ) { _ in }
    }

    /// Tells the other gateways with a provider's key whether this one can push with it.
    /// - Parameter completion: called with how many of the others can, as of `maximumAge` ago at most.
    public func exchangePushHealth(
        of key: ProviderKeyName, at authority: String, as gateway: UniqueID, isServing: Bool,
        maximumAge: TimeInterval, completion: @escaping (Result<Int, StoreError>) -> Void
    ) {
        let command = RedisCommand(
            script: Scripts.exchangePushHealth,
            keys: [Keys.pushHealth(key.teamIdentifier, key.keyIdentifier, authority)],
            arguments: [
                gateway.description, isServing ? "1" : "0", wallClock().milliseconds, maximumAge.millisecondsRoundedUp,
            ])
        redis.send(command) { result in
            completion(result.map { Int($0.integer ?? 0) }.mapError { StoreError($0) })
        }
    }
}
