import GatewayAPI
import Glibc
import Logging
import NIOCore

/// Lets a listener sleep while there are no descriptors for those who wait, in place of asking again at once and for
/// ever; meanwhile connections that rest make way. Connections leave some descriptors to the rest of the process, part
/// of which ends the process when it cannot open a file (libdispatch, which looks at its threads). Confined to the
/// listener's event loop.
final class AcceptGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel

    private let connections: ClientConnections
    private let logger: Logger
    private var resuming: Scheduled<Void>?
    /// When the last line was written.
    private var logged: NIODeadline?

    /// Descriptors that are left to everything else, whatever the limit is lowered to.
    private static let reserve: CInt = 32
    private static let pause = TimeAmount.milliseconds(250)
    private static let silence = TimeAmount.seconds(60)

    init(_ connections: ClientConnections, _ logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) { resuming?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        if let shortage = AcceptGuard.shortage() { sleep(context, "\(shortage)") }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, AcceptGuard.isShortage(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        connections.metrics.acceptFailed()
        sleep(context, "\(error)")
    }

    private func sleep(_ context: ChannelHandlerContext, _ reason: String) {
        log(reason)
        connections.makeWay()
        guard resuming == nil, let options = context.channel.syncOptions else { return }
        // Not to be woken for those who wait; an error alone leaves the listener readable.
        try? options.setOption(.autoRead, value: false)
        wakeLater(context.eventLoop.assumeIsolated(), options)
    }

    private func wakeLater(_ loop: NIOIsolatedEventLoop, _ options: any NIOSynchronousChannelOptions) {
        resuming = loop.scheduleTask(in: AcceptGuard.pause) {
            self.resuming = nil
            if AcceptGuard.shortage() != nil {
                self.connections.makeWay()
                return self.wakeLater(loop, options)
            }
            try? options.setOption(.autoRead, value: true)
        }
    }

    private func log(_ reason: String) {
        let now = NIODeadline.now()
        if let logged, now < logged + AcceptGuard.silence { return }
        logged = now
        logger.error(
            "no descriptor for a new connection, closing idle connections",
            metadata: ["error": "\(reason)"])
    }

    /// In words when there are no more descriptors than the reserve; nil when there are.
    private static func shortage() -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        // The lowest that is free.
        let next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard next >= 0 else { return errno == EMFILE ? "no descriptor is free" : nil }
        close(next)
        return next < CInt(clamping: limit.rlim_cur) - reserve ? nil : "at most \(reserve) descriptors are free"
    }

    private static func isShortage(_ number: CInt) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number)
    }
}
