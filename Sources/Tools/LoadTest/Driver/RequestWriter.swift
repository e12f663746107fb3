import NIOCore
import NIOHTTP1

/// Writes prepared requests as bytes, which saves the usual encoding of each request.
///
/// The response parser must know of each request. A placeholder head passes it in the pipeline, and this handler
/// replaces the head by the bytes.
final class RequestWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    /// The next request to write.
    var request = ByteBuffer()

    /// The placeholder for every request. The parser reads only its method, and treats the methods of all calls alike.
    static let head = HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = request
        // The connection reuses the memory for its next request, so this handler must not keep a reference.
        request = RequestWriter.empty
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    private static let empty = ByteBuffer()
}
