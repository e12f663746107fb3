import NIOCore

/// Counts the bytes that a receiver sends for one answer, in front of the parser, and fails the answer above the bound.
/// The parser itself reads any number of provisional answers, and a reason phrase of any length.
final class AnswerBound: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The answer has more than `limit` bytes.
    struct Exceeded: Error {}

    /// The bound in bytes: room for a head, a body of `ReceiverClient.bodyLimit` and its framing.
    static let limit = 4 * ReceiverClient.bodyLimit

    private var count = 0

    /// The next answer begins.
    func restart() { count = 0 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard count <= AnswerBound.limit else { return }
        count += buffer.readableBytes
        guard count <= AnswerBound.limit else { return context.fireErrorCaught(Exceeded()) }
        context.fireChannelRead(data)
    }
}
