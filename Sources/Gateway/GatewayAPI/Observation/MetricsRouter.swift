import HTTPTypes
public import Hummingbird
public import MetricsCore
import NIOCore

/// Gives everything that a gateway counts, as it is now.
public typealias MetricSource = @Sendable (MetricFormat) async -> [UInt8]

/// What `/metrics` is answered with.
struct MetricsReply: Sendable {
    let page: MetricSource

    /// In the format that the reader asks for.
    func response(to request: Request) async -> Response {
        let format = MetricFormat(accept: request.headers[.accept])
        var headers = HTTPFields()
        headers[.contentType] = format.contentType
        headers[.cacheControl] = "no-store"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: await page(format))))
    }
}

/// `/metrics` on a listener of its own, which has nothing else.
public struct MetricsRouter: Sendable {
    private let reply: MetricsReply

    /// - Parameter metrics: what the page is made of.
    public init(metrics: @escaping MetricSource) {
        reply = MetricsReply(page: metrics)
    }

    /// What answers that one endpoint.
    public func responder() -> some HTTPResponder<BasicRequestContext> {
        let router = Router()
        router.get("metrics") { request, _ in await reply.response(to: request) }
        return router.buildResponder()
    }
}
