import NIOCore

/// Knows how long the first line of the request that comes in is, which tells a target that is too long from fields
/// that are too many: the parser calls both the same. Stands in front of it.
final class RequestLineWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// As far as it has come. Of a request that began in the middle of what was read at once only the rest is counted.
    private(set) var length = 0
    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasEnded {
            let bytes = unwrapInboundIn(data).readableBytesView
            let end = bytes.firstIndex(of: 0x0A)
            hasEnded = end != nil
            length += bytes.distance(from: bytes.startIndex, to: end ?? bytes.endIndex)
        }
        context.fireChannelRead(data)
    }

    /// A request has come in whole: what follows is another one's line.
    func requestEnded() {
        length = 0
        hasEnded = false
    }
}
