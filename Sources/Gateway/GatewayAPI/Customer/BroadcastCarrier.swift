import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

/// Carries out starts, updates and ends.
protocol BroadcastCarrier: Sendable {
    /// Records a request. Throws `BroadcastRefusal` and `StoreError`.
    func carryOut(_ request: BroadcastRequest) async throws -> BroadcastResult

    /// Throws if a provider of the activity cannot send this, to the whole segment or to some of its devices.
    func check(
        _ payload: Payload, _ event: PushEvent, for record: ActivityRecord, isToAll: Bool
    ) throws(BroadcastRefusal)

    /// The kinds of route over which the tenant's app reaches devices.
    func routeKinds(of tenantID: String) -> Set<RouteKind>

    /// True if activities of the tenant's app can have a channel.
    func offersChannels(to tenantID: String) -> Bool

    /// Waits for the end of a broadcast, or for `timeout`. Nil if the store is unavailable.
    func wait(for id: UniqueID, in activity: UniqueID, timeout: TimeInterval) async -> BroadcastRecord?
}

extension BroadcastService: BroadcastCarrier {}
