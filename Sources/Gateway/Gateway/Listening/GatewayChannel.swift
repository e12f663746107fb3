import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A client's connection: counted, then, once it has said something, Hummingbird's for HTTP/1.1, and in front of its
/// router what answers the reports of devices.
///
/// Bytes pass the pipeline in this order: the header of the PROXY protocol, which takes itself out; TLS, if any; HTTP. A
/// connection that has said nothing has none of these but the first, and no task: thousands may come, and go, at once.
struct GatewayChannel: ServerChildChannel {
    let connections: ClientConnections
    let http: HTTP1Channel
    let reports: DeviceReports
    let endpoints: EndpointTable
    /// In front of HTTP; nil where HTTP comes plain.
    let tls: ListenerTLS?
    /// From the beginning of a connection to the end of a proxy's header, and to the end of its first head.
    let headTime: TimeAmount
    /// Where the requests of connections are answered.
    let tasks: ConnectionTasks

    /// A connection that was let in.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    /// There is no place for another connection.
    struct NoPlace: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            do {
                guard let connection = connections.open(channel) else { throw NoPlace() }
                try ReceiveBuffers.limit(channel)
                try connection.takeProxyHeader(within: headTime)
                try connection.whenItSpeaks(within: headTime) { deadline in
                    begin(channel, connection, firstHeadBy: deadline, logger)
                }
                return Value(channel: channel)
            } catch {
                // Nobody else closes a connection that was never handed over.
                channel.close(promise: nil)
                throw error
            }
        }
    }

    /// Nothing is left to do: the task of a connection begins when it speaks.
    func handle(value: Value, logger: Logger) async {}

    /// Adds what reads a connection's requests and has them answered, on its event loop.
    private func begin(
        _ channel: any Channel, _ connection: ClientConnection, firstHeadBy deadline: NIODeadline, _ logger: Logger
    ) {
        channel.eventLoop.makeCompletedFuture { try tls?.install(in: channel) }
            .flatMap { http.setup(channel: channel, logger: logger) }
            .flatMapThrowing { value in
                try reports.install(in: channel, connection, endpoints: endpoints, firstHeadBy: deadline)
                tasks.begin(on: channel.eventLoop) {
                    await connection.asCurrent { await http.handle(value: value, logger: logger) }
                }
            }
            .whenFailure { _ in channel.close(promise: nil) }
    }
}
