import HTTPTypes
public import Hummingbird
public import MetricsCore
import NIOCore

/// Returns the current metrics of a gateway in a format.
public typealias MetricSource = @Sendable (MetricFormat) async -> [UInt8]

/// The reply of `/metrics`.
struct MetricsReply: Sendable {
    let page: MetricSource

    /// Returns the metrics in the format that the client accepts.
    func response(to request: Request) async -> Response {
        let format = MetricFormat(accept: request.headers[.accept])
        var headers = HTTPFields()
        headers[.contentType] = format.contentType
        headers[.cacheControl] = "no-store"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: await page(format))))
    }
}

/// A router for `/metrics` alone, on a separate listener.
public struct MetricsRouter: Sendable {
    private let reply: MetricsReply

    /// - Parameter metrics: The source of the page.
    public init(metrics: @escaping MetricSource) {
        reply = MetricsReply(page: metrics)
    }

    /// Returns the responder of the endpoint.
    public func responder() -> some HTTPResponder<BasicRequestContext> {
        let router = Router()
        router.get("metrics") { request, _ in await reply.response(to: request) }
        return router.buildResponder()
    }
}
