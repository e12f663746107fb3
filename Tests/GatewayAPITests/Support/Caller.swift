import HTTPTypes
import Hummingbird
import LiveActivity
import Logging
import NIOCore
import NIOEmbedded
import TimeCore

@testable import GatewayAPI

/// Asks a router in memory: no socket, no Redis.
struct Caller {
    let router: GatewayRouter

    init(
        _ endpoints: [Endpoint], keys: KnownKeys = KnownKeys(), claims: Claims = Claims(),
        counting: any RequestCounting = NoCounting(), isStopping: Bool = false,
        configure: (inout APISettings) -> Void = { _ in }
    ) {
        var settings = APISettings()
        settings.requestsPerMinute = 10
        configure(&settings)
        router = GatewayRouter(
            EndpointTable(endpoints), admissions: keys, rates: counting, claims: claims, settings: settings,
            shares: GatewayShares(settings),
            clock: { WallTime(seconds: 1000) }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            isStopping: { isStopping })
    }

    struct Answer {
        let status: Int
        let headers: HTTPFields
        let text: String

        subscript(_ name: String) -> JSONValue? {
            try? JSONDocument(parsing: Array(text.utf8)).root.member(name)
        }

        var code: String? { self["code"]?.string }

        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
    }

    /// - Parameter body: nil for none; sent as JSON.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, key: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var fields = HTTPFields()
        if let key { for name in ["X-Api-Key", "X-Sdk-Key"] { fields[try Self.field(name)] = key } }
        if body != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers { fields[try Self.field(name)] = value }
        let head = HTTPRequest(method: method, scheme: "http", authority: "x", path: path, headerFields: fields)
        let channel = NIOAsyncTestingChannel()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let response = try await router.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body ?? ""))),
            context: GatewayContext(source: ApplicationRequestContextSource(channel: channel, logger: logger)))
        let collector = Collector()
        try await response.body.write(collector)
        return Answer(
            status: Int(response.status.code), headers: response.headers,
            text: String(decoding: collector.bytes, as: UTF8.self))
    }

    private struct BadName: Error {}

    private static func field(_ name: String) throws -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { throw BadName() }
        return field
    }
}

private final class Collector: ResponseBodyWriter {
    private(set) var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) async throws { bytes += buffer.readableBytesView }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
