public import Delivery
import LiveActivity
import RedisClient
import TimeCore

// Writes of gateways to the record of a broadcast that they send. On the reactor.
extension StoredBroadcasts {
    /// Records a pause of a broadcast with its reason.
    public func notePaused(_ order: BroadcastOrder, _ reason: String) {
        note(order, ["paused", reason, "paused_at", "\(wallClock().milliseconds)"])
    }

    /// Removes the pause.
    public func noteResumed(_ order: BroadcastOrder) {
        redis.send(RedisCommand("HDEL", Keys.broadcast(order.activity.id, order.id), "paused", "paused_at")) { _ in }
    }

    /// Records for all gateways that every further push of the broadcast would fail for this reason.
    /// - Parameter kind: The route with that reason; nil for all routes.
    public func noteStop(_ reason: String, of order: BroadcastOrder, over kind: RouteKind? = nil) {
        let isOneOfSeveral = order.routeKinds.count > 1
        let field = kind.flatMap { isOneOfSeveral ? BroadcastStop.stopField($0) : nil } ?? BroadcastStop.stopField
        note(order, [field, reason])
    }

    /// Records that the provider refused many tokens as those of another environment or app.
    public func noteWrongEnvironment(_ order: BroadcastOrder) { note(order, ["wrong_environment", "1"]) }

    /// Removes a channel that the provider has deleted from the broadcast's activity. If Redis fails, the next push to
    /// the channel repeats it.
    public func dropChannel(_ channel: String, of order: BroadcastOrder) {
        redis.send(Scripts.dropChannel(activity: Keys.activity(order.activity.id), channel: channel).command) { _ in }
    }

    /// Adds fields to the record of an unfinished broadcast. The first value of a field remains.
    private func note(_ order: BroadcastOrder, _ fields: [String]) {
        redis.send(
            Scripts.noteBroadcast(broadcast: Keys.broadcast(order.activity.id, order.id), fields: fields).command
        ) { _ in }
    }
}
