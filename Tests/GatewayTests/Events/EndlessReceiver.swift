import NIOCore
import NIOPosix
import Synchronization

/// A receiver of events whose answer has no end: an opening, then one piece again and again until the connection is
/// closed.
final class EndlessReceiver: Sendable {
    private let channel: any Channel
    private let sent: SentBytes
    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/hook" }
    /// The bytes that were written, also those that wait in buffers of the system.
    var bytes: Int { sent.count.withLock { $0 } }

    private final class SentBytes: Sendable {
        let count = Mutex(0)
    }

    static func start(opening: String, piece: String) async throws -> EndlessReceiver {
        let sent = SentBytes()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(opening, piece, sent))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return EndlessReceiver(channel, sent)
    }

    private init(_ channel: any Channel, _ sent: SentBytes) {
        self.channel = channel
        self.sent = sent
    }

    func stop() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let opening: ByteBuffer
        private let piece: ByteBuffer
        private let sent: SentBytes
        private var hasBegun = false

        init(_ opening: String, _ piece: String, _ sent: SentBytes) {
            self.opening = ByteBuffer(string: opening)
            self.piece = ByteBuffer(string: String(repeating: piece, count: 4_096 / piece.utf8.count))
            self.sent = sent
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasBegun else { return }
            hasBegun = true
            write(opening, context)
        }

        /// The next piece follows when this one is written.
        private func write(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
            sent.count.withLock { $0 += buffer.readableBytes }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(buffer)).whenSuccess {
                // In a turn of its own, so that no chain of calls grows.
                bound.value.1.eventLoop.execute {
                    let (handler, context) = bound.value
                    handler.write(handler.piece, context)
                }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
