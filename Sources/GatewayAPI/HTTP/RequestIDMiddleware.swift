import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import Logging

/// Gives every reply an `X-Request-Id`, and every failure that no handler has answered the contract's form.
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = GatewayContext

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            response =
                Reply(APIError(.notFound, "no such route: \(request.method) \(request.uri.path.prefix(200))")).response
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

    /// 1 to 128 visible characters.
    static func isSane(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
