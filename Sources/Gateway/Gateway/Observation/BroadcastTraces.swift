import Broadcasts
import Delivery
import GatewayAPI
import GatewayStore
import LiveActivity
import Reactor
import Tracing

/// Opens a span for each job, linked to the step that recorded its broadcast on any gateway.
final class BroadcastTraces: Sendable {
    private let tracer: any Tracer
    private let spans = Locked<[JobTicket: any Span]>([:])

    /// Nil if no tracer collects spans.
    init?(_ tracer: any Tracer) {
        guard !(tracer is NoOpTracer) else { return nil }
        self.tracer = tracer
    }

    func write(_ event: JobEvent) {
        switch event {
        case .begun(let job, let order, let isResumed): begin(job, order, isResumed)
        case .ended(let job, _, let end): finish(job, end)
        case .stopped(let order, let reason): stop(order, reason)
        case .recorded, .rejected, .wrongEnvironment, .channelDeleted, .finished, .letGo, .tookUp, .vanished,
            .cannotHeal:
            break
        }
    }

    private func begin(_ job: JobTicket, _ order: BroadcastOrder, _ isResumed: Bool) {
        let span = tracer.startAnySpan("broadcast job", context: .topLevel, ofKind: .consumer)
        span.attributes["fanfare.broadcast_id"] = order.id.description
        span.attributes["fanfare.activity_id"] = order.activity.id.description
        span.attributes["fanfare.tenant_id"] = order.activity.tenantID
        span.attributes["fanfare.kind"] = order.kind.rawValue
        span.attributes["fanfare.part"] = job.part.description
        span.attributes["fanfare.resumed"] = isResumed
        if !order.origin.requestID.isEmpty { span.attributes["fanfare.request_id"] = order.origin.requestID }
        if !order.origin.trace.isEmpty {
            var context = InstrumentationContext.topLevel
            tracer.extract(order.origin.trace, into: &context, using: TraceDictionary())
            span.addLink(SpanLink(context: context, attributes: [:]))
        }
        spans.withLock { $0[job] = span }
    }

    private func finish(_ job: JobTicket, _ end: JobEnd) {
        guard let span = spans.withLock({ $0.removeValue(forKey: job) }) else { return }
        span.attributes["fanfare.end"] = end.rawValue
        span.end()
    }

    private func stop(_ order: BroadcastOrder, _ reason: String) {
        for (_, span) in spans.withLock({ spans in spans.filter { $0.key.broadcastID == order.id } }) {
            span.attributes["fanfare.stop_reason"] = reason
            span.setStatus(SpanStatus(code: .error))
        }
    }
}
