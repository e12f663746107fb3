import GatewayStore
import LiveActivity
import Tracing

extension CustomerAPI {
    /// Says in the draft which request it comes from, and opens a span for the step that records it: what gateways do for
    /// the broadcast links to that span.
    func traced(
        _ draft: BroadcastDraft, _ request: CustomerRequest,
        _ record: (BroadcastDraft) async throws -> BroadcastOrder
    ) async throws -> BroadcastOrder {
        var draft = draft
        draft.origin.requestID = request.requestID
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer) else { return try await record(draft) }
        let span = tracer.startAnySpan("broadcast record", context: .current ?? .topLevel, ofKind: .producer)
        defer { span.end() }
        span.attributes["fanfare.broadcast_id"] = draft.id.description
        span.attributes["fanfare.kind"] = draft.kind.rawValue
        InstrumentationSystem.instrument.inject(
            span.context, into: &draft.origin.trace, using: TraceDictionary())
        do {
            let order = try await record(draft)
            span.attributes["fanfare.activity_id"] = order.activity.id.description
            return order
        } catch {
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}
