import Delivery
import GatewayStore
import LiveActivity

extension BroadcastService {
    /// The maximum payload in bytes, low enough that every provider can add its own fields.
    private static let shortPayload = 3_500

    /// Sends an update at once; nil if it must be recorded as a broadcast.
    func carryOutDirectly(_ request: BroadcastRequest) async -> BroadcastResult? {
        guard let draft = BroadcastService.directDraft(request) else { return nil }
        switch await jobs.carryOutDirectly(draft) {
        case .ended(let record, _): return .ended(record)
        case .underWay(let order, _): return .recorded(order)
        case .declined, .failed: return nil
        }
    }

    /// Returns the draft of an update that may be sent at once; nil if it must be recorded as a broadcast.
    /// - Parameter admission: The request, if it is not admitted yet.
    public static func directDraft(
        _ request: BroadcastRequest, admission: KnownKey.Request? = nil
    ) -> DirectDraft? {
        guard case .update = request.command, request.isAwaited, request.targets == nil, request.schedule == nil,
            !request.skipsUnchanged, let activityID = request.activityID, let type = request.type,
            let payload = request.plainPayload, payload.length <= BroadcastService.shortPayload
        else { return nil }
        return DirectDraft(
            id: request.id, isRepetition: request.isRepetition, activityID: activityID, tenantID: request.tenantID,
            type: type, payload: payload, priority: request.priority, expiration: request.expiration,
            origin: request.origin, arrived: request.arrived, admission: admission)
    }
}
