import NIOCore
import NIOHTTP1

/// Ends connections whose clients take too long, on listeners where `ReportHandler` does not.
final class DeadlineHandler: ChannelDuplexHandler {
    /// A part of a request.
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
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
        var part = unwrapInboundIn(data)
        switch part {
        case .head(var head):
            deadlines.headCame(.now())
            // The server framework compares only this field, with this one spelling.
            if HeadCheck.isLast(head) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            part = .head(head)
        case .body: deadlines.bytesCame()
        case .end: deadlines.bodyCame()
        }
        context.fireChannelRead(wrapInboundOut(part))
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
