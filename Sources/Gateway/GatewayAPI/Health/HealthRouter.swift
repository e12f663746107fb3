import GatewayStore
import HTTPTypes
public import Hummingbird

/// `/health/*` on a listener of its own, which has nothing else.
public struct HealthRouter: HTTPResponder {
    /// Requests need to carry nothing.
    public typealias Context = BasicRequestContext

    private let health: HealthAPI

    /// - Parameters:
    ///   - readiness: what keeps the gateway from its work.
    ///   - isStopping: true from when the gateway takes no more work.
    public init(store: GatewayStore, readiness: ReadinessBoard, isStopping: @escaping @Sendable () -> Bool) {
        health = HealthAPI(store: store, readiness: readiness, isStopping: isStopping)
    }

    /// Answers as the listener for customers and devices does; never throws.
    public func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var response = await answer(request).response
        response.headers[.requestID] = RequestID.of(request.headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request) async -> Reply {
        guard let path = ["/health/live", "/health/ready"].first(where: { $0 == request.uri.path }) else {
            return Reply(APIError(.notFound, "the path does not exist; use /health/live or /health/ready"))
        }
        guard request.method == .get || request.method == .head else {
            var reply = Reply(APIError(.methodNotAllowed, "the method is not allowed; use GET or HEAD"))
            reply.headers[.allow] = "GET, HEAD"
            return reply
        }
        return path == "/health/live" ? .success() : await health.ready()
    }
}
