import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A connection to a listener that few have business with: counted, with deadlines for heads and bodies.
struct BoundedChannel: ServerChildChannel {
    let connections: ClientConnections
    let http: HTTP1Channel

    private static let time = TimeAmount.seconds(10)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        connections.open(channel)
            .flatMap { connection in
                http.setup(channel: channel, logger: logger)
                    .flatMapThrowing { value in
                        try connection.limitRequests(to: BoundedChannel.time)
                        return value
                    }
            }
            .flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
