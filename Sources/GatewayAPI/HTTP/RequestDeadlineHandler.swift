public import NIOCore
public import NIOHTTP1

/// Ends connections whose client takes too long, whatever it sends meanwhile: a head must be complete within one time,
/// a body within another. A timeout for idle connections alone would be evaded by a byte now and then.
///
/// A timer is not moved with every request, which would cost more than the request: when it fires too early it is set
/// again, and a body that comes in one piece with its head needs none.
public final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPServerRequestPart
    public typealias InboundOut = HTTPServerRequestPart
    public typealias OutboundIn = HTTPServerResponsePart
    public typealias OutboundOut = HTTPServerResponsePart

    private let headDeadline: TimeAmount
    private let bodyDeadline: TimeAmount
    private var isBodyOpen = false
    private var isAnswered = false
    /// When the connection ends; nil while the client waits for us.
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    /// When the timer fires: at the deadline or before it.
    private var firesAt = NIODeadline.distantFuture

    /// - Parameters:
    ///   - headDeadline: from the beginning of the connection, or the last answer, to the end of the next head.
    ///   - bodyDeadline: from there to the end of the body.
    public init(headDeadline: TimeAmount, bodyDeadline: TimeAmount) {
        self.headDeadline = headDeadline
        self.bodyDeadline = bodyDeadline
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        end(in: headDeadline)
        schedule(context)
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
            end(in: bodyDeadline)
        case .body: break
        case .end:
            isBodyOpen = false
            // An answer may have come before the end of the body; then the next head is awaited from now on.
            if isAnswered { end(in: headDeadline) } else { deadline = nil }
        }
        context.fireChannelRead(data)
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        schedule(context)
        context.fireChannelReadComplete()
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { answered(context) }
        context.write(data, promise: promise)
    }

    /// An answer has been written, this way or past this handler.
    func answered(_ context: ChannelHandlerContext) {
        isAnswered = true
        guard !isBodyOpen else { return }
        end(in: headDeadline)
        schedule(context)
    }

    private func end(in time: TimeAmount) {
        deadline = .now() + time
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline, deadline < firesAt else { return }
        timer?.cancel()
        firesAt = deadline
        let channel = context.channel
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) { handler.value.fired(channel) }
    }

    private func fired(_ channel: any Channel) {
        timer = nil
        firesAt = .distantFuture
        guard let deadline else { return }
        if NIODeadline.now() >= deadline { return channel.close(promise: nil) }
        guard let context = try? channel.pipeline.syncOperations.context(handler: self) else { return }
        schedule(context)
    }
}
