import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing

@testable import Gateway
@testable import GatewayAPI

/// Answers plain reports and updates on a test's own channels as the stage's first gateway does.
struct PlainReports {
    private let reports: DeviceReports
    private let connections = ClientConnections(ConnectionLimits(), maximum: 10, eventLoops: 1)
    private let endpoints: EndpointTable

    init(_ stage: TestStage) {
        let (gateway, settings) = (stage.gateways[0], APISettings())
        reports = DeviceReports(
            store: stage.store, jobs: gateway.jobs, settings: settings, shares: GatewayShares(settings),
            updates: gateway.updates, logger: TestStage.silent, isStopping: { false })
        endpoints = gateway.endpoints
    }

    /// Call on the channel's event loop.
    /// - Parameter build: Called for anything but a plain request.
    func install(
        in channel: any Channel, socket: ReplySocket?,
        build: @escaping () -> Void = { Issue.record("something is taken for no plain request") }
    ) throws {
        let connection = try open(channel)
        try reports.installPlain(
            in: channel, connection, endpoints: endpoints, firstHeadBy: .distantFuture, socket: socket
        ) { _ in build() }
    }

    /// Admits a connection. The future is complete at once for the first connections of an address.
    private func open(_ channel: any Channel) throws -> ClientConnection {
        var connection: ClientConnection?
        connections.open(channel).assumeIsolated().whenSuccess { connection = $0 }
        return try #require(connection)
    }

    /// Answers reports behind the HTTP parser. Call on the channel's event loop.
    func installBehindParser(in channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(
            HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), HTTP1ToHTTPServerCodec(secure: false))
        try reports.install(
            in: channel, try open(channel), endpoints: endpoints, firstHeadBy: .distantFuture)
    }
}
