import NIOCore
import NIOHTTP1

/// Writes requests that are bytes already, where the usual encoder would build each from its fields.
///
/// The parser of answers must know of each request, so a head goes through the pipeline past it; here it is replaced by
/// the bytes.
final class RequestWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    /// What is written next.
    var request = ByteBuffer()

    /// Stands for every request: the parser looks at the method only, and treats PUT and POST alike.
    static let head = HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = request
        // The connection builds its next request in the same memory, which must have no other owner by then.
        request = RequestWriter.empty
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    private static let empty = ByteBuffer()
}
