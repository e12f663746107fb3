public import NIOCore
public import NIOHTTPTypes

/// Ends connections whose client takes too long, whatever it sends meanwhile: a head must be complete within one time,
/// a body within another. A timeout for idle connections alone would be evaded by a byte now and then.
public final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPRequestPart
    public typealias InboundOut = HTTPRequestPart
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    private let headDeadline: TimeAmount
    private let bodyDeadline: TimeAmount
    private var timer: Scheduled<Void>?
    private var isBodyOpen = false
    private var isAnswered = false

    /// - Parameters:
    ///   - headDeadline: from the beginning of the connection, or the last answer, to the end of the next head.
    ///   - bodyDeadline: from there to the end of the body.
    public init(headDeadline: TimeAmount, bodyDeadline: TimeAmount) {
        self.headDeadline = headDeadline
        self.bodyDeadline = bodyDeadline
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        start(headDeadline, context)
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    public func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isBodyOpen = true
            isAnswered = false
            start(bodyDeadline, context)
        case .body: break
        case .end:
            isBodyOpen = false
            // An answer may have come before the end of the body; then the next head is awaited from now on.
            if isAnswered { start(headDeadline, context) } else { timer?.cancel() }
        }
        context.fireChannelRead(data)
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            isAnswered = true
            if !isBodyOpen { start(headDeadline, context) }
        }
        context.write(data, promise: promise)
    }

    private func start(_ deadline: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }
}
