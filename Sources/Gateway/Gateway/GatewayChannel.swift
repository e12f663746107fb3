import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A client's connection: TLS where that is spoken, behind it Hummingbird's for HTTP/1.1, and in front of its router what
/// answers the reports of devices.
struct GatewayChannel: ServerChildChannel {
    let http: HTTP1Channel
    let reports: DeviceReports
    let endpoints: EndpointTable
    /// In front of HTTP; nil where HTTP comes plain.
    let tls: ListenerTLS?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        do {
            try tls?.install(in: channel)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try reports.install(in: channel, endpoints: endpoints)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
