import HTTPTypes
import Hummingbird

/// The fields that let pages of other origins read replies (CORS, WHATWG Fetch, section 3.2). They apply only to
/// customers' endpoints and the documents, and only to configured origins.
struct CrossOrigin: Sendable {
    /// Origins as browsers send them, or `*` for all.
    let origins: Set<String>

    /// The time for which a browser caches a preflight's answer, in seconds.
    private static let maximumAge = "600"
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, X-Api-Key, X-Request-Id"
    private static let replyHeaders =
        "ETag, Idempotent-Replayed, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, "
        + "X-Request-Id"

    /// Answers a preflight; nil for other requests, and for origins or endpoints that are not allowed.
    /// - Parameter endpoints: The endpoints of the requested path.
    func preflight(_ request: Request, _ endpoints: [Endpoint]) -> Response? {
        guard request.method == .options, let origin = allowed(request),
            request.headers[.accessControlRequestMethod] != nil,
            case let methods = endpoints.filter(CrossOrigin.isShown).map(\.method.rawValue), !methods.isEmpty
        else { return nil }
        var headers = HTTPFields()
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlAllowMethods] = methods.sorted().joined(separator: ", ")
        headers[.accessControlAllowHeaders] = CrossOrigin.requestHeaders
        headers[.accessControlMaxAge] = CrossOrigin.maximumAge
        headers[.vary] = "Origin"
        return Response(status: .noContent, headers: headers)
    }

    /// Adds the fields that let an allowed origin read the reply.
    func open(_ response: inout Response, to request: Request, _ endpoint: Endpoint?) {
        guard !origins.isEmpty, let endpoint, CrossOrigin.isShown(endpoint) else { return }
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = allowed(request) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = CrossOrigin.replyHeaders
    }

    /// The origin in the reply's header; nil if it is missing or not allowed.
    private func allowed(_ request: Request) -> String? {
        guard !origins.isEmpty, let origin = request.headers[.origin] else { return nil }
        return origins.contains("*") ? "*" : origins.contains(origin) ? origin : nil
    }

    /// Excludes endpoints for devices and monitoring, because no web page uses them.
    private static func isShown(_ endpoint: Endpoint) -> Bool {
        endpoint.credential == .apiKey || endpoint.path.hasPrefix("/openapi") || endpoint.path == "/docs"
    }
}
