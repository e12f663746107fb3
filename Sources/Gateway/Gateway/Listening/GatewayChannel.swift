import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A client's connection: counted, then Hummingbird's for HTTP/1.1, and in front of its router what answers the reports of
/// devices.
///
/// Bytes pass the pipeline in this order: the header of the PROXY protocol, which takes itself out; TLS, if any; HTTP.
struct GatewayChannel: ServerChildChannel {
    let connections: ClientConnections
    let http: HTTP1Channel
    let reports: DeviceReports
    let endpoints: EndpointTable
    /// In front of HTTP; nil where HTTP comes plain.
    let tls: ListenerTLS?
    /// From the beginning of a connection to the end of a proxy's header.
    let headerTime: TimeAmount

    /// A connection that was let in.
    struct Value: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let connection: ClientConnection
        var channel: any Channel { http.channel }
    }

    /// There is no place for another connection.
    struct NoPlace: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let connection = connections.open(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(NoPlace())
        }
        return channel.eventLoop.makeCompletedFuture {
            try ReceiveBuffers.limit(channel)
            try prepare(channel, connection)
        }
        .flatMap { http.setup(channel: channel, logger: logger) }
        .flatMapThrowing { value in
            try reports.install(in: channel, connection, endpoints: endpoints)
            return Value(http: value, connection: connection)
        }
        .flatMapErrorThrowing { error in
            // Nobody else closes a connection that was never handed over.
            channel.close(promise: nil)
            throw error
        }
    }

    /// What comes in front of HTTP, on the channel's event loop.
    private func prepare(_ channel: any Channel, _ connection: ClientConnection) throws {
        try connection.takeProxyHeader(within: headerTime)
        try tls?.install(in: channel)
    }

    func handle(value: Value, logger: Logger) async {
        await value.connection.asCurrent { await http.handle(value: value.http, logger: logger) }
    }
}
