import ConnectionCore
import NIOCore

/// Removes the header of the PROXY protocol from a trusted proxy's connection, before TLS and HTTP, and then itself. A
/// connection with another beginning, or without the header in time, is closed.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Its name in the pipeline.
    static let name = "fanfare.proxy-header"

    private let connection: ClientConnection
    private let time: TimeAmount
    private var bytes = ByteBuffer()
    private var timer: Scheduled<Void>?
    private var state = State.reading

    private enum State {
        case reading
        /// The header is complete; the client's connections are being counted.
        case waiting
        /// The bytes that arrive are the client's.
        case passing
        case refused
    }

    /// - Parameter time: The time from the start of the connection to the end of the header.
    init(_ connection: ClientConnection, within time: TimeAmount) {
        self.connection = connection
        self.time = time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: time) { bound.value.connection.end(.deadline) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .reading: break
        case .waiting:
            var new = unwrapInboundIn(data)
            bytes.writeBuffer(&new)
            return
        case .passing: return context.fireChannelRead(data)
        case .refused: return
        }
        var new = unwrapInboundIn(data)
        bytes.writeBuffer(&new)
        switch ProxyHeader.read(bytes.readableBytesView) {
        case .incomplete: break
        case .malformed:
            state = .refused
            connection.end(.proxyHeader)
        case .complete(let header):
            state = .waiting
            bytes.moveReaderIndex(forwardBy: header.length)
            let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            connection.readdressed(header.client).whenComplete { answer in
                bound.value.handler.readdressed((try? answer.get()) ?? false, bound.value.context)
            }
        }
    }

    private func readdressed(_ hasPlace: Bool, _ context: ChannelHandlerContext) {
        guard hasPlace else {
            state = .refused
            return
        }
        state = .passing
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        bytes = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
