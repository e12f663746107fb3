import Broadcasts
import GatewayStore
import LiveActivity
import Tracing

extension BroadcastCarrier {
    /// Calls `carryOut` in a span. The broadcast's later spans are linked to it.
    func carryOutTraced(_ request: BroadcastRequest) async throws -> BroadcastResult {
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer) else { return try await carryOut(request) }
        let span = tracer.startAnySpan("record broadcast", context: .current ?? .topLevel, ofKind: .producer)
        defer { span.end() }
        span.attributes["fanfare.broadcast_id"] = request.id.description
        if let activity = request.activityID { span.attributes["fanfare.activity_id"] = activity.description }
        var request = request
        InstrumentationSystem.instrument.inject(
            span.context, into: &request.origin.trace, using: TraceDictionary())
        do {
            return try await carryOut(request)
        } catch {
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}
