import GatewayAPI
import Glibc
import Logging
import NIOCore

/// Lets a listener sleep while the system has no descriptors for those who wait, in place of asking again at once and for
/// ever; meanwhile connections that rest make way. Confined to the listener's event loop.
final class AcceptGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel

    private let connections: ClientConnections
    private let logger: Logger
    private var resuming: Scheduled<Void>?
    /// When the last line was written.
    private var logged: NIODeadline?

    private static let pause = TimeAmount.milliseconds(250)
    private static let silence = TimeAmount.seconds(60)

    init(_ connections: ClientConnections, _ logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) { resuming?.cancel() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, AcceptGuard.isShortage(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        connections.metrics.acceptFailed()
        log(error)
        connections.makeWay()
        guard resuming == nil, let options = context.channel.syncOptions else { return }
        // Not to be woken for those who wait; an error alone leaves the listener readable.
        try? options.setOption(.autoRead, value: false)
        resuming = context.eventLoop.assumeIsolated().scheduleTask(in: AcceptGuard.pause) {
            self.resuming = nil
            try? options.setOption(.autoRead, value: true)
        }
    }

    private func log(_ error: IOError) {
        let now = NIODeadline.now()
        if let logged, now < logged + AcceptGuard.silence { return }
        logged = now
        logger.error(
            "no descriptor for a connection that waits; connections that rest make way",
            metadata: ["error": "\(error)"])
    }

    private static func isShortage(_ number: CInt) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number)
    }
}
