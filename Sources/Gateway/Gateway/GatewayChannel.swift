import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A client's connection: Hummingbird's for HTTP/1.1, and in front of its router what answers the reports of devices.
struct GatewayChannel: ServerChildChannel {
    let http: HTTP1Channel
    let reports: DeviceReports
    let endpoints: EndpointTable

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try reports.install(in: channel, endpoints: endpoints)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
