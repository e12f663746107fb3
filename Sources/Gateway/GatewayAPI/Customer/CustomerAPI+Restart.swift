import Broadcasts
import GatewayStore
import LiveActivity

extension CustomerAPI {
    /// Starts those again whom the activity's start has left out.
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
        return try await carryOut(broadcast, request)
    }
}
