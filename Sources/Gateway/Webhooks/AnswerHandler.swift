import EventCore
import NIOCore
import NIOHTTP1

/// Waits for the head of an answer, and for its end as far as that comes within bounds.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<Verdict>
    private var verdict: Verdict?
    private var bodyBytes = 0

    init(_ promise: EventLoopPromise<Verdict>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Provisional answers precede the one that counts.
            guard head.status.code >= 200 else { return }
            verdict = Verdict(status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"))
            // Nothing that follows changes it, but an orderly end spares the receiver an error.
            if let verdict {
                let promise = promise
                context.eventLoop.scheduleTask(in: .seconds(1)) { promise.succeed(verdict) }
            }
        case .body(let buffer):
            bodyBytes += buffer.readableBytes
            if bodyBytes > ReceiverClient.bodyLimit { finish() }
        case .end: finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.succeed(verdict ?? .failed(text: ReceiverClient.describe(error), retryAfter: nil))
        context.close(promise: nil)
    }

    /// A promise takes its first value; later ones are passed over.
    private func finish() {
        promise.succeed(verdict ?? .failed(text: "ended the connection without an answer", retryAfter: nil))
    }
}
