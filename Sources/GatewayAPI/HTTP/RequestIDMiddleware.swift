import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import Logging

/// Gives every reply an `X-Request-Id`, and every failure that no handler has answered the contract's form.
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = GatewayContext

    let routes: RouteTable

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            response = noRoute(request).response
        } catch let error as APIError {
            response = Reply(error).response
        } catch let error as StoreError {
            response = Reply(APIError(error)).response
        } catch {
            context.logger.error("a request failed unexpectedly", metadata: ["error": "\(type(of: error))"])
            response = Reply(APIError(.internalError, "the gateway failed to handle this request")).response
        }
        response.headers[.requestID] = context.requestID
        return response
    }

    private func noRoute(_ request: Request) -> Reply {
        let asked = "\(request.method) \(request.uri.path.prefix(200))"
        guard let methods = routes.methods(at: request.uri.path) else {
            return Reply(APIError(.notFound, "no such route: \(asked)"))
        }
        let allowed = methods.joined(separator: ", ")
        var reply = Reply(APIError(.methodNotAllowed, "no such method here: \(asked); there is \(allowed)"))
        reply.headers[.allow] = allowed
        return reply
    }

    /// 1 to 128 visible characters.
    static func isSane(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
