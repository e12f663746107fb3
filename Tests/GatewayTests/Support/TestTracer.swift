import Instrumentation
import Reactor
import Tracing

/// Keeps all spans, and hands them on as W3C Trace Context does: `00-<trace>-<span>-01`.
final class TestTracer: Tracer {
    struct Identity: Hashable, Sendable {
        let trace: String
        let span: String

        init(trace: String, span: String) {
            self.trace = trace
            self.span = span
        }

        init?(traceparent: String) {
            let parts = traceparent.split(separator: "-")
            guard parts.count == 4, parts[1].count == 32, parts[2].count == 16 else { return nil }
            self.init(trace: String(parts[1]), span: String(parts[2]))
        }

        var traceparent: String { "00-\(trace)-\(span)-01" }
    }

    private let made = Locked<[TestSpan]>([])

    var spans: [TestSpan] { made.withLock { $0 } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> TestSpan {
        var context = context()
        let parent = context.testIdentity
        let identity = Identity(
            trace: parent?.trace ?? TestTracer.digits(16), span: TestTracer.digits(8))
        context.testIdentity = identity
        let span = TestSpan(operationName, kind, identity, parent: parent, context)
        made.withLock { $0.append(span) }
        return span
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let identity = context.testIdentity else { return }
        injector.inject(identity.traceparent, forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.testIdentity =
            extractor.extract(key: "traceparent", from: carrier).flatMap { Identity(traceparent: $0) }
            ?? context.testIdentity
    }

    private static func digits(_ bytes: Int) -> String {
        (0..<bytes).map { _ in
            let text = String(UInt8.random(in: .min ... .max), radix: 16)
            return text.count < 2 ? "0\(text)" : text
        }.joined()
    }
}

final class TestSpan: Span {
    struct State: Sendable {
        var name: String
        var attributes: SpanAttributes = [:]
        var links: [TestTracer.Identity] = []
        var isFailed = false
        var ends = 0
    }

    let kind: SpanKind
    let identity: TestTracer.Identity
    let parent: TestTracer.Identity?
    let context: InstrumentationContext
    private let state: Locked<State>

    init(
        _ name: String, _ kind: SpanKind, _ identity: TestTracer.Identity, parent: TestTracer.Identity?,
        _ context: InstrumentationContext
    ) {
        self.kind = kind
        self.identity = identity
        self.parent = parent
        self.context = context
        state = Locked(State(name: name))
    }

    var values: State { state.withLock { $0 } }

    func text(_ name: String) -> String? {
        switch values.attributes.get(name) {
        case .string(let text)?: text
        case .bool(let flag)?: "\(flag)"
        case .int64(let number)?: "\(number)"
        case .int32(let number)?: "\(number)"
        default: nil
        }
    }

    var operationName: String {
        get { values.name }
        set { state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { values.attributes }
        set { state.withLock { $0.attributes = newValue } }
    }

    var isRecording: Bool { values.ends == 0 }

    func setStatus(_ status: SpanStatus) {
        state.withLock { $0.isFailed = status.code == .error }
    }

    func addEvent(_ event: SpanEvent) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}

    func addLink(_ link: SpanLink) {
        guard let identity = link.context.testIdentity else { return }
        state.withLock { $0.links.append(identity) }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        state.withLock { $0.ends += 1 }
    }
}

private struct TestIdentityKey: InstrumentationContextKey {
    typealias Value = TestTracer.Identity
}

extension InstrumentationContext {
    fileprivate var testIdentity: TestTracer.Identity? {
        get { self[TestIdentityKey.self] }
        set { self[TestIdentityKey.self] = newValue }
    }
}
