import HTTPTypes
import Hummingbird
import LineLog
import Logging
import TimeCore
import Tracing

/// Counts every request that the router answers, writes its log line, and opens its span. None of them contains the
/// body, the query or a key.
struct RequestObservation: Sendable {
    let metrics: RequestMetrics
    private let log: LineLogger

    /// - Parameter logger: The log, which gets a line for each request.
    init(_ metrics: RequestMetrics, _ logger: Logger) {
        self.metrics = metrics
        log = LineLogger(logger)
    }

    /// - Parameter context: The context with the request's id and endpoint.
    func observe(
        _ request: Request, _ context: GatewayContext, _ answer: () async -> Response
    ) async -> Response {
        let route = RequestMetrics.Route(request.method, context.endpoint)
        let begin = MonotonicTime.now()
        metrics.began()
        let response = await traced(request, context, route, answer)
        let duration = MonotonicTime.now() - begin
        metrics.ended(route, status: Int(response.status.code), nanoseconds: duration.nanoseconds)
        log(context, route, Int(response.status.code), duration)
        return response
    }

    private func log(
        _ context: GatewayContext, _ route: RequestMetrics.Route, _ status: Int, _ duration: TimeInterval
    ) {
        let noted = context.metadata.values
        log(
            status >= 500 ? .warning : context.isCustomers ? .info : .debug, route, status, duration,
            requestID: context.requestID, tenantID: noted.tenantID, code: noted.code, noted.change)
    }

    /// - Parameter change: The change, whose fields are part of the line, because the audit log may have no file.
    private func log(
        _ level: Logger.Level, _ route: RequestMetrics.Route, _ status: Int, _ duration: TimeInterval,
        requestID: String, tenantID: String?, code: String?, _ change: AuditRecord?
    ) {
        log.log(level, "request") { line in
            line.add("request_id", requestID)
            line.add("tenant", tenantID)
            line.add("method", route.method)
            line.add("route", route.path)
            line.add("status", status)
            line.add("code", code)
            line.add("duration_ms", milliseconds: duration)
            line.add("actor", change?.actor.parts.name)
            line.add("object", change?.object)
            line.add("address", change?.address)
        }
    }

    // MARK: In front of the router

    /// Records a customer's request that was answered without the router, after `metrics.began`.
    /// - Parameter change: The change; nil if the key was not admitted.
    func ended(
        _ route: RequestMetrics.Route, status: Int, _ duration: TimeInterval, requestID: String, code: String?,
        _ change: AuditRecord?
    ) {
        metrics.ended(route, status: status, nanoseconds: duration.nanoseconds)
        log(
            status >= 500 ? .warning : .info, route, status, duration, requestID: requestID,
            tenantID: change?.tenantID, code: code, change)
    }

    // MARK: Traces

    /// Opens a span for a customer's request. Other requests have none, because they are too many.
    private func traced(
        _ request: Request, _ context: GatewayContext, _ route: RequestMetrics.Route, _ answer: () async -> Response
    ) async -> Response {
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer), context.isCustomers else { return await answer() }
        var parent = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: HeaderExtractor())
        let span = tracer.startAnySpan("\(route.method) \(route.path)", context: parent, ofKind: .server)
        defer { span.end() }
        span.attributes["http.request.method"] = route.method
        span.attributes["http.route"] = route.path
        span.attributes["fanfare.request_id"] = context.requestID
        let response = await InstrumentationContext.$current.withValue(span.context) { await answer() }
        let status = Int(response.status.code)
        span.attributes["http.response.status_code"] = status
        let noted = context.metadata.values
        if let tenant = noted.tenantID { span.attributes["fanfare.tenant_id"] = tenant }
        if let code = noted.code { span.attributes["fanfare.code"] = code }
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        return response
    }
}

extension GatewayContext {
    /// True if marketing systems call the endpoint, rather than devices or monitoring.
    fileprivate var isCustomers: Bool { endpoint?.credential == .apiKey }
}

extension RequestMetrics.Route {
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// - Parameter endpoint: The endpoint; nil if there is none.
    fileprivate init(_ method: HTTPRequest.Method, _ endpoint: Endpoint?) {
        // Unknown methods share one label, because clients can invent any number.
        self.method = Self.methods.contains(method.rawValue) ? method.rawValue : "other"
        path = endpoint?.path ?? "none"
    }
}
