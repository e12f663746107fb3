import NIOCore

/// Measures the first line of the incoming request, in front of the parser. The parser reports an overlong target and
/// too many fields as the same error; the length distinguishes them.
final class RequestLineWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The length so far, in bytes. For a request that begins in the middle of a read, only the rest is counted.
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

    /// Starts again for the next request.
    func requestEnded() {
        length = 0
        hasEnded = false
    }
}
