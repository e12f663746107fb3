import NIOCore
import NIOHTTP1
import NIOTLS
import TimeCore

/// Receives the events of a connection. Called on the event loop.
protocol LoadConnectionOwner: AnyObject {
    /// The connection is ready for calls.
    func connectionReady(_ connection: LoadConnection)
    /// The call has ended. Do not reuse the connection if it is no longer ready.
    func connectionAnswered(_ connection: LoadConnection, _ call: LoadConnection.Call, _ outcome: CallOutcome)
    /// The connection is closed and carries no call.
    func connectionClosed(_ connection: LoadConnection, _ reason: String)
}

/// A keep-alive connection with at most one call.
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

    /// The request to send, written by the player. The buffer is reused.
    var request = ByteBuffer()
    /// The index in the set of connections.
    var place = 0
    private(set) var call: Call?
    private(set) var isReady = false
    /// Released when the connection is closed.
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

    /// Sends `request`. The connection must be ready and have no call.
    func send(_ call: Call) {
        guard let context, self.call == nil else {
            preconditionFailure("a call was put on a connection that is not free")
        }
        self.call = call
        status = 0
        writer.request = request
        // The writer sends the bytes; the head only makes the parser expect a response.
        context.writeAndFlush(wrapOutboundOut(RequestWriter.head), promise: nil)
    }

    /// Ends the call without an answer. Closes the connection, because a late answer would be taken for that of the
    /// next call.
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
