import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A client's connection: counted; then, once it has said something, there is what answers plain reports of devices;
/// and once it has said something else, it is Hummingbird's for HTTP/1.1, with what answers all reports in front of its
/// router.
///
/// Bytes pass the pipeline in this order: the header of the PROXY protocol, which takes itself out; TLS, if any; HTTP.
/// A connection that has said nothing has none of these but the first, and no task: thousands may come, and go, at
/// once. One that has only said plain reports has no HTTP but what reads and answers these.
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

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        connections.open(channel)
            .flatMapThrowing { connection in
                try ReceiveBuffers.limit(channel)
                try connection.takeProxyHeader(within: headTime)
                try connection.whenItSpeaks(within: headTime) { deadline in
                    begin(channel, connection, firstHeadBy: deadline, logger)
                }
                return Value(channel: channel)
            }
            .flatMapErrorThrowing { error in
                // Nobody else closes a connection that was never handed over.
                channel.close(promise: nil)
                throw error
            }
    }

    /// Nothing is left to do: the task of a connection begins when it speaks.
    func handle(value: Value, logger: Logger) async {}

    /// Adds what answers plain reports, on its event loop, and behind it TLS. A server that ends waits for the answers.
    private func begin(
        _ channel: any Channel, _ connection: ClientConnection, firstHeadBy deadline: NIODeadline, _ logger: Logger
    ) {
        do {
            try tls?.install(in: channel)
            try reports.installPlain(
                in: channel, connection, endpoints: endpoints, firstHeadBy: deadline,
                socket: tls == nil ? ReplySocket(channel) : nil
            ) { deadline in
                build(channel, connection, firstHeadBy: deadline, logger)
            }
            tasks.begin(on: channel.eventLoop) {
                await withTaskCancellationHandler {
                    try? await channel.closeFuture.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
            }
        } catch {
            channel.close(promise: nil)
        }
    }

    /// Adds what reads all requests and has them answered, on its event loop.
    private func build(
        _ channel: any Channel, _ connection: ClientConnection, firstHeadBy deadline: NIODeadline, _ logger: Logger
    ) {
        http.setup(channel: channel, logger: logger)
            .flatMapThrowing { value in
                try reports.install(in: channel, connection, endpoints: endpoints, firstHeadBy: deadline)
                tasks.begin(on: channel.eventLoop) {
                    await connection.asCurrent { await http.handle(value: value, logger: logger) }
                }
            }
            .whenFailure { _ in channel.close(promise: nil) }
    }
}
