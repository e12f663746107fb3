import EventCore
import NIOCore
import NIOHTTP1
import TimeCore

/// Reads answers on a connection to a receiver, one at a time: the head, then the body within a limit. On the
/// connection's event loop.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var promise: EventLoopPromise<ReceiverReply>?
    private var reply: ReceiverReply?
    private var body: [UInt8] = []
    private var bodyBytes = 0
    private var staysOpen = false
    private let bound: AnswerBound
    /// The connection's first failure, for later waits.
    private var failure: AttemptFailure?

    init(_ bound: AnswerBound) { self.bound = bound }

    /// Fulfills `promise` with the next answer; at once if the connection has ended.
    func wait(_ promise: EventLoopPromise<ReceiverReply>, isActive: Bool) {
        if let failure { return promise.succeed(ReceiverReply(verdict: .failed(failure, retryAfter: nil))) }
        guard isActive else { return promise.succeed(ReceiverReply(.connection, "broke off")) }
        self.promise = promise
        bound.restart()
        reply = nil
        (body, bodyBytes) = ([], 0)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Provisional answers precede the one that counts.
            guard head.status.code >= 200 else { return }
            var reply = ReceiverReply(
                verdict: Verdict(
                    status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"),
                    sentAt: head.headers.first(name: "Date"), now: .now()))
            reply.status = Int(head.status.code)
            self.reply = reply
            staysOpen = head.isKeepAlive
            // The verdict is final. The wait for the body's end spares the receiver an error.
            context.eventLoop.scheduleTask(in: .seconds(1)) { [promise, reply] in promise?.succeed(reply) }
        case .body(let buffer):
            let missing = ReceiverReply.longestBeginning - body.count
            if missing > 0 { body += buffer.readableBytesView.prefix(missing) }
            bodyBytes += buffer.readableBytes
            if bodyBytes > ReceiverClient.bodyLimit { finish(isWhole: false) }
        case .end: finish(isWhole: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(isWhole: false)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let why = AttemptFailure(error)
        if failure == nil { failure = why }
        if reply == nil {
            promise?.succeed(ReceiverReply(verdict: .failed(why, retryAfter: nil)))
            promise = nil
        }
        finish(isWhole: false)
        context.close(promise: nil)
    }

    /// A promise keeps its first value and ignores later ones.
    private func finish(isWhole: Bool) {
        var reply = reply ?? ReceiverReply(.connection, "ended the connection without an answer")
        reply.beginning = AnswerHandler.shown(body)
        reply.isReusable = isWhole && staysOpen
        promise?.succeed(reply)
        promise = nil
    }

    /// Converts bytes to one line of text; nil for none.
    private static func shown(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        var text = String(decoding: bytes, as: UTF8.self)
        // A character that was cut in two is dropped.
        if bytes.count == ReceiverReply.longestBeginning, text.last == "\u{FFFD}" { text.removeLast() }
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
