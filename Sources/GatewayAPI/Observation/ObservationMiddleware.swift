import HTTPTypes
import Hummingbird
import LiveActivity
import Logging
import TimeCore
import Tracing

/// Gives every request its id, counts it, writes its line into the log, and opens its span. What a request says is in none
/// of them: neither body nor query nor keys.
struct ObservationMiddleware: RouterMiddleware {
    typealias Context = GatewayContext

    let measures: RequestMeasures

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let given = request.headers[.requestID].flatMap { RequestIDMiddleware.isSane($0) ? $0 : nil }
        context.requestID = given ?? UniqueID.random().description
        context.logger[metadataKey: "request_id"] = "\(context.requestID)"
        // The server framework's own, which no reply names.
        context.logger[metadataKey: "hb.request.id"] = nil
        let begin = MonotonicTime.now()
        measures.began()
        do {
            let response = try await traced(request, context, next)
            ended(request, context, status: Int(response.status.code), since: begin)
            return response
        } catch {
            // Nobody is there to be answered any more.
            ended(request, context, status: 499, since: begin)
            throw error
        }
    }

    private func ended(_ request: Request, _ context: GatewayContext, status: Int, since begin: MonotonicTime) {
        let duration = MonotonicTime.now() - begin
        let route = RequestMeasures.Route(request.method, context.endpointPath)
        measures.ended(route, status: status, nanoseconds: duration.nanoseconds)
        let level: Logger.Level = status >= 500 ? .warning : route.isCustomers ? .info : .debug
        guard context.logger.logLevel <= level else { return }
        let notes = context.notes.values
        var metadata: Logger.Metadata = [
            "method": "\(route.method)", "route": "\(route.path)", "status": "\(status)",
            "duration_ms": "\((Double(duration.nanoseconds) / 10_000).rounded() / 100)",
        ]
        if let tenant = notes.tenantID { metadata["tenant"] = "\(tenant)" }
        if let code = notes.code { metadata["code"] = "\(code)" }
        context.logger.log(level: level, "request", metadata: metadata)
    }

    // MARK: Traces

    /// Customers' requests have spans; those of devices and of health checks are too many and too small.
    private func traced(
        _ request: Request, _ context: GatewayContext,
        _ next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let tracer = InstrumentationSystem.tracer
        let route = RequestMeasures.Route(request.method, context.endpointPath)
        guard !(tracer is NoOpTracer), route.isCustomers else { return try await next(request, context) }
        var parent = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: HeaderExtractor())
        let span = tracer.startAnySpan("\(route.method) \(route.path)", context: parent, ofKind: .server)
        defer { span.end() }
        span.attributes["http.request.method"] = route.method
        span.attributes["http.route"] = route.path
        span.attributes["fanfare.request_id"] = context.requestID
        let response = try await InstrumentationContext.$current.withValue(span.context) {
            try await next(request, context)
        }
        let status = Int(response.status.code)
        span.attributes["http.response.status_code"] = status
        let notes = context.notes.values
        if let tenant = notes.tenantID { span.attributes["fanfare.tenant_id"] = tenant }
        if let code = notes.code { span.attributes["fanfare.code"] = code }
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        return response
    }
}

extension RequestMeasures.Route {
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let prefix = "/api/v1/"

    /// - Parameter path: the route as it was written down; nil when there is none.
    init(_ method: HTTPRequest.Method, _ path: String?) {
        // Whatever clients make up counts together.
        self.method = Self.methods.contains(method.rawValue) ? method.rawValue : "other"
        guard let path, path != "NotFound" else {
            self.path = "none"
            return
        }
        self.path = path.split(separator: "/").reduce(into: "") { text, part in
            text += part.hasPrefix(":") ? "/{\(part.dropFirst())}" : "/\(part)"
        }
    }

    /// Whether marketing systems call it, and not devices, health checks or monitoring.
    var isCustomers: Bool { path.hasPrefix(Self.prefix) && !path.hasPrefix("\(Self.prefix)sdk/") }
}
