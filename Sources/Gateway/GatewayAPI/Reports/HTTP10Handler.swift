import NIOCore
import NIOHTTP1

/// Answers clients of HTTP/1.0 in their version, on connections without a `ReportHandler`, which does that itself.
/// Requests arrive one at a time.
final class HTTP10Handler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var version = HTTP10()

    /// Records the version of a request.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            version.isAnswered = head.version == .http1_0
            version.isKept = head.isKeepAlive
        }
        context.fireChannelRead(data)
    }

    /// Writes an answer in its request's version. Closes the connection if nothing else marks the end of the body.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(let head) = part { part = .head(version.head(head)) }
        guard version.endsWithBody, case .end = part else {
            return context.write(wrapOutboundOut(part), promise: promise)
        }
        let channel = context.channel
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.write(wrapOutboundOut(part), promise: written)
    }
}
