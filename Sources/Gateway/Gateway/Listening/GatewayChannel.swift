import GatewayAPI
import HummingbirdCore
import Logging
import NIOCore

/// A counted client connection. When it sends its first data, it gets the handler of plain device reports. At its first
/// other request it gets Hummingbird's HTTP/1.1 handlers, with the handler of all reports before the router.
///
/// Bytes pass the pipeline in this order: the PROXY protocol header, whose handler removes itself; TLS, if any; HTTP. A
/// silent connection has only the first handler and no task, because thousands may open and close at once.
struct GatewayChannel: ServerChildChannel {
    let connections: ClientConnections
    let http: HTTP1Channel
    let reports: DeviceReports
    let endpoints: EndpointTable
    /// TLS before HTTP; nil for plain HTTP.
    let tls: ListenerTLS?
    /// The time limit of the proxy header, and of the first request head after it.
    let headTime: TimeAmount
    /// The tasks that answer the connections' requests.
    let tasks: ConnectionTasks

    /// An accepted connection.
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
                // This connection was never handed over, so only this code can close it.
                channel.close(promise: nil)
                throw error
            }
    }

    /// Does nothing, because the connection's task starts with its first data.
    func handle(value: Value, logger: Logger) async {}

    /// Adds TLS, and after it the handler of plain reports. On the event loop. A server that stops waits for the
    /// answers.
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

    /// Adds the handlers of all requests, on the event loop.
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
