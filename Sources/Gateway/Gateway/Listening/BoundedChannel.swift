import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// A connection to a listener that few have business with: counted, with deadlines for heads and bodies.
struct BoundedChannel: ServerChildChannel {
    let connections: ClientConnections
    let http: HTTP1Channel

    private static let time = TimeAmount.seconds(10)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        guard let connection = connections.open(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(GatewayChannel.NoPlace())
        }
        return http.setup(channel: channel, logger: logger)
            .flatMapThrowing { value in
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    DeadlineHandler(channel, connection, time: BoundedChannel.time),
                    position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
                return value
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
