import Broadcasts
import GatewayStore
import LiveActivity

extension CustomerAPI {
    /// Starts again the devices that the activity's start has missed.
    func restart(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let fields = try BroadcastFields(body)
        try fields.options.requireFresh(at: clock())
        let wish = try RestartWish(body, targets: fields.targets)
        let presentation = fields.options.presentation
        let content = try body.requiredContent(needsAlert: true)
        try fields.options.requireAlert(content)
        let broadcast = fields.request(.restart(wish), request.caller, priority: 10) {
            activity throws(Payload.AttributeTaken) in
            try .start(of: activity, content: content, options: presentation)
        }
        do {
            return try await carryOut(broadcast, request)
        } catch let error as APIError where error.code == .noEligibleDevice && error.skipped?.isEmpty == true {
            throw APIError(
                .noEligibleDevice,
                "no device of the activity is in the requested state; not_synced devices count from older_than seconds after their start",
                skipped: error.skipped)
        }
    }
}
