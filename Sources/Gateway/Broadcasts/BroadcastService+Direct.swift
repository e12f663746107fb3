import Delivery
import GatewayStore
import LiveActivity

extension BroadcastService {
    /// The most bytes of a push that every provider takes, with what a provider's own form adds.
    private static let shortPayload = 3_500

    /// What an update came to that was sent at once; nil when it is to be recorded like any other.
    func carryOutDirectly(_ request: BroadcastRequest) async -> BroadcastResult? {
        guard let draft = BroadcastService.directDraft(request) else { return nil }
        switch await jobs.carryOutDirectly(draft) {
        case .ended(let record, _): return .ended(record)
        case .underWay(let order, _): return .recorded(order)
        case .declined, .failed: return nil
        }
    }

    /// What may be sent at once of what is asked for; nil when it is to be recorded like any other.
    /// - Parameter admission: the request, when it has not been let in.
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
