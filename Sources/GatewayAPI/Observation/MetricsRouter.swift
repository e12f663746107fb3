import HTTPTypes
public import Hummingbird
import MetricsCore
import NIOCore

/// `/metrics` on a listener of its own.
public struct MetricsRouter: Sendable {
    private let metrics: @Sendable () async -> [UInt8]

    /// - Parameter metrics: the page in Prometheus's text format.
    public init(metrics: @escaping @Sendable () async -> [UInt8]) {
        self.metrics = metrics
    }

    public func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("metrics") { _, _ in MetricsRouter.response(await metrics()) }
        return router
    }

    static func response(_ page: [UInt8]) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = MetricPage.contentType
        headers[.cacheControl] = "no-store"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: page)))
    }
}
