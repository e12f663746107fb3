import NIOCore
import NIOHTTP1

/// Ends connections whose clients take too long, on listeners where `ReportHandler` does not.
final class DeadlineHandler: ChannelDuplexHandler {
    /// A part of a request.
    typealias InboundIn = HTTPServerRequestPart
    /// A part of a response.
    typealias OutboundIn = HTTPServerResponsePart

    private let deadlines: RequestDeadlines

    /// - Parameter time: for a head, and for a body.
    init(_ channel: any Channel, _ connection: ClientConnection, time: TimeAmount) {
        deadlines = RequestDeadlines(channel, connection, headTime: time, bodyTime: time, uploadSilence: time)
    }

    func handlerAdded(context: ChannelHandlerContext) { deadlines.began() }

    func handlerRemoved(context: ChannelHandlerContext) { deadlines.ended() }

    func channelInactive(context: ChannelHandlerContext) {
        deadlines.ended()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadlines.headCame(.now())
        case .body: deadlines.bytesCame()
        case .end: deadlines.bodyCame()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deadlines.readCompleted()
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        if case .end = part { deadlines.answered() }
    }
}
