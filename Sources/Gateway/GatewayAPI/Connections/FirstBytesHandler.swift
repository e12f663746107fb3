import NIOCore

/// The only handler of a connection that has sent nothing yet. At the first bytes it has the rest of the pipeline
/// built, forwards the bytes and removes itself. A connection that stays silent is closed at its deadline. Confined to
/// its event loop.
final class FirstBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ClientConnection
    private let time: TimeAmount
    private var state = State.silent

    /// Adds the rest to the end of the pipeline before it returns. Its parameter is the deadline of the first head.
    private let begin: (NIODeadline) -> Void

    private enum State {
        case silent
        case waiting(deadline: NIODeadline, timer: Scheduled<Void>)
        case over
    }

    /// - Parameter time: The limit for the first bytes and the whole first head, from `handlerAdded`.
    init(_ connection: ClientConnection, within time: TimeAmount, begin: @escaping (NIODeadline) -> Void) {
        self.connection = connection
        self.time = time
        self.begin = begin
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let deadline = context.eventLoop.now + time
        let connection = NIOLoopBound(connection, eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(deadline: deadline) { connection.value.end(.deadline) }
        state = .waiting(deadline: deadline, timer: timer)
    }

    func handlerRemoved(context: ChannelHandlerContext) { _ = stopWaiting() }

    func channelInactive(context: ChannelHandlerContext) {
        _ = stopWaiting()
        context.fireChannelInactive()
    }

    /// Cancels the timer and returns its deadline; nil if there is none.
    private func stopWaiting() -> NIODeadline? {
        guard case .waiting(let deadline, let timer) = state else { return nil }
        timer.cancel()
        state = .over
        return deadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let deadline = stopWaiting() { begin(deadline) }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // The server stops, or the client has closed its direction.
        case is ChannelShouldQuiesceEvent, ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
