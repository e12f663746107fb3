import GatewayAPI
import Glibc
import Logging
import NIOCore

/// Pauses a listener while the process has no free descriptors, and closes idle connections. Without the pause the
/// listener would retry in a busy loop. Some descriptors stay reserved, because libdispatch ends the process if it
/// cannot open a file. Confined to the listener's event loop.
final class AcceptGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel

    private let connections: ClientConnections
    private let logger: Logger
    private var resuming: Scheduled<Void>?
    /// The time of the last log line.
    private var logged: NIODeadline?

    /// Descriptors reserved for the rest of the process, even if the limit is lowered.
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
        // Reading stops because an error alone leaves the listener readable, and each waiting connection would wake it.
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

    /// Returns a description if no more descriptors than the reserve are free; else nil.
    private static func shortage() -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        // The lowest free descriptor.
        let next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard next >= 0 else { return errno == EMFILE ? "no descriptor is free" : nil }
        close(next)
        return next < CInt(clamping: limit.rlim_cur) - reserve ? nil : "at most \(reserve) descriptors are free"
    }

    private static func isShortage(_ number: CInt) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number)
    }
}
