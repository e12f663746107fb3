import HTTPTypes
import Hummingbird

/// What browsers are told of who may read replies (CORS, WHATWG Fetch, section 3.2). Only customers' endpoints and the
/// documents are shown to other origins, and none is unless the configuration names it.
struct CrossOrigin: Sendable {
    /// Origins as browsers send them, or `*` for all.
    let origins: Set<String>

    /// For how many seconds a browser need not ask again.
    private static let maximumAge = "600"
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, X-Api-Key, X-Request-Id"
    private static let replyHeaders =
        "ETag, Idempotent-Replayed, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, "
        + "X-Request-Id"

    /// Answers a browser that asks whether it may send a request; nil when that is no such question, or not its
    /// business.
    /// - Parameter endpoints: of the path that is asked about.
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

    /// Lets the origin read a reply, if it may.
    func open(_ response: inout Response, to request: Request, _ endpoint: Endpoint?) {
        guard !origins.isEmpty, let endpoint, CrossOrigin.isShown(endpoint) else { return }
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = allowed(request) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = CrossOrigin.replyHeaders
    }

    /// What a reply's header names; nil when the origin is not allowed, or there is none.
    private func allowed(_ request: Request) -> String? {
        guard !origins.isEmpty, let origin = request.headers[.origin] else { return nil }
        return origins.contains("*") ? "*" : origins.contains(origin) ? origin : nil
    }

    /// Devices are no web pages, and who watches is none either.
    private static func isShown(_ endpoint: Endpoint) -> Bool {
        endpoint.credential == .apiKey || endpoint.path.hasPrefix("/openapi") || endpoint.path == "/docs"
    }
}
