import NIOCore
import NIOHTTP1
import NIOTLS
import TimeCore

/// Hears what becomes of a connection. All on the event loop.
protocol LoadConnectionOwner: AnyObject {
    /// It can take calls.
    func connectionReady(_ connection: LoadConnection)
    /// The call that it carried has ended. The connection is not used any more when it is closed.
    func connectionAnswered(_ connection: LoadConnection, _ call: LoadConnection.Call, _ outcome: CallOutcome)
    /// It is gone. No call is on it.
    func connectionClosed(_ connection: LoadConnection, _ reason: String)
}

/// One keep-alive connection, with one call on it at most.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Call {
        let played: PlayedCall
        let due: MonotonicTime
        let sent: MonotonicTime
        let isByTheClock: Bool
        let keepsBody: Bool
    }

    /// The request to send, built by the player. Its memory is used again and again.
    var request = ByteBuffer()
    /// Its place in the set of connections.
    var place = 0
    private(set) var call: Call?
    private(set) var isReady = false
    /// Let go when the connection is gone.
    private var owner: (any LoadConnectionOwner)?
    private let isSecure: Bool
    private let writer: RequestWriter
    private var context: ChannelHandlerContext?
    private var status = 0
    private var body: [UInt8] = []
    private var closesAfterAnswer = false
    private var reason = "the connection was closed before the answer"

    private static let longestBody = 1 << 20

    init(owner: any LoadConnectionOwner, writer: RequestWriter, isSecure: Bool) {
        self.owner = owner
        self.writer = writer
        self.isSecure = isSecure
    }

    /// Sends `request`. Only on a connection that is ready and without a call.
    func send(_ call: Call) {
        guard let context, self.call == nil else {
            preconditionFailure("a call was put on a connection that is not free")
        }
        self.call = call
        status = 0
        writer.request = request
        // The request's bytes are the writer's; the head only tells the parser that an answer will come.
        context.writeAndFlush(wrapOutboundOut(RequestWriter.head), promise: nil)
    }

    /// Ends the call without an answer, and closes the connection: a late answer must not be taken for the next call's.
    func giveUp(_ outcome: CallOutcome) {
        guard let call else { return }
        self.call = nil
        isReady = false
        owner?.connectionAnswered(self, call, outcome)
        context?.close(promise: nil)
    }

    func close() {
        context?.close(promise: nil)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecure { becameReady() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event { becameReady() }
        context.fireUserInboundEventTriggered(event)
    }

    private func becameReady() {
        isReady = true
        owner?.connectionReady(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
            closesAfterAnswer = !LoadConnection.isKeptAlive(head)
            body.removeAll(keepingCapacity: true)
        case .body(let part):
            guard let call, call.keepsBody || status >= 300, body.count < LoadConnection.longestBody else { return }
            body += part.readableBytesView
        case .end:
            answerEnded()
        }
    }

    private func answerEnded() {
        guard let call else { return }
        self.call = nil
        if closesAfterAnswer { isReady = false }
        let keepsBody = call.keepsBody || status >= 300
        owner?.connectionAnswered(self, call, .answered(status: status, body: keepsBody ? body : []))
        if closesAfterAnswer { close() }
    }

    private static func isKeptAlive(_ head: HTTPResponseHead) -> Bool {
        guard let options = head.headers.first(name: "connection") else { return head.version.minor > 0 }
        return options.lowercased() != "close"
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        reason = LossReason.describe(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isReady = false
        if let call {
            self.call = nil
            owner?.connectionAnswered(self, call, .lost(reason))
        }
        owner?.connectionClosed(self, reason)
        owner = nil
        context.fireChannelInactive()
    }
}
