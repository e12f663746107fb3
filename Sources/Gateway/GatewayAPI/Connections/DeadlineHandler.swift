public import NIOCore
public import NIOHTTP1

/// Ends connections whose clients take too long, on listeners where `ReportHandler` does not.
public final class DeadlineHandler: ChannelDuplexHandler {
    /// A part of a request.
    public typealias InboundIn = HTTPServerRequestPart
    /// A part of a response.
    public typealias OutboundIn = HTTPServerResponsePart

    private let deadlines: RequestDeadlines

    /// - Parameter time: for a head, and for a body.
    public init(_ channel: any Channel, _ connection: ClientConnection, time: TimeAmount) {
        deadlines = RequestDeadlines(channel, connection, headTime: time, bodyTime: time, uploadSilence: time)
    }

    public func handlerAdded(context: ChannelHandlerContext) { deadlines.began() }

    public func handlerRemoved(context: ChannelHandlerContext) { deadlines.ended() }

    public func channelInactive(context: ChannelHandlerContext) {
        deadlines.ended()
        context.fireChannelInactive()
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadlines.headCame(.now())
        case .body: deadlines.bytesCame()
        case .end: deadlines.bodyCame()
        }
        context.fireChannelRead(data)
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        deadlines.readCompleted()
        context.fireChannelReadComplete()
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        if case .end = part { deadlines.answered() }
    }
}
