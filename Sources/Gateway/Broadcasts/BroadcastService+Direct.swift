import Delivery
import GatewayStore
import LiveActivity

extension BroadcastService {
    /// The most bytes of a push that every provider takes, with what a provider's own form adds.
    private static let shortPayload = 3_500

    /// What an update came to that was sent at once; nil when it is to be recorded like any other.
    func carryOutDirectly(_ request: BroadcastRequest) async -> BroadcastResult? {
        guard case .update = request.command, request.isAwaited, request.targets == nil, request.schedule == nil,
            !request.skipsUnchanged, let activityID = request.activityID, let type = request.type,
            let payload = request.plainPayload, payload.length <= BroadcastService.shortPayload
        else { return nil }
        let draft = DirectDraft(
            id: request.id, isRepetition: request.isRepetition, activityID: activityID, tenantID: request.tenantID,
            type: type,
            payload: payload, priority: request.priority, expiration: request.expiration, origin: request.origin)
        switch await jobs.carryOutDirectly(draft) {
        case .ended(let record): return .ended(record)
        case .underWay(let order): return .recorded(order)
        case .declined: return nil
        }
    }
}
