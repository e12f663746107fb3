import HTTPTypes
public import Hummingbird
import MetricsCore
import NIOCore

/// What `/metrics` is answered with.
struct MetricsReply: Sendable {
    /// The page in Prometheus's text format.
    let page: @Sendable () async -> [UInt8]

    func response() async -> Response {
        var headers = HTTPFields()
        headers[.contentType] = MetricPage.contentType
        headers[.cacheControl] = "no-store"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: await page())))
    }
}

/// `/metrics` on a listener of its own, which has nothing else.
public struct MetricsRouter: Sendable {
    private let reply: MetricsReply

    /// - Parameter metrics: the page in Prometheus's text format.
    public init(metrics: @escaping @Sendable () async -> [UInt8]) {
        reply = MetricsReply(page: metrics)
    }

    /// What answers that one endpoint.
    public func responder() -> some HTTPResponder<BasicRequestContext> {
        let router = Router()
        router.get("metrics") { _, _ in await reply.response() }
        return router.buildResponder()
    }
}
