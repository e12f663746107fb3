import NIOCore
import NIOSSL
import NIOTLS

/// Behind a connection's TLS: tells once what became of its handshake, and closes the connection when that came to
/// nothing.
///
/// A client that ends its connection without TLS's goodbye is as good as any other: HTTP says by itself where a message
/// ends, so a message that was cut off is noticed there.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let told: (HandshakeOutcome) -> Void
    private var outcome: HandshakeOutcome?

    init(_ told: @escaping (HandshakeOutcome) -> Void) {
        self.told = told
    }

    private func came(to outcome: HandshakeOutcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        told(outcome)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event { came(to: .completed) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        came(to: .abandoned)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard outcome == .completed else {
            came(to: HandshakeWatch.outcome(of: error))
            context.close(promise: nil)
            return
        }
        if let error = error as? NIOSSLError, error == .uncleanShutdown { return }
        context.fireErrorCaught(error)
    }

    private static func outcome(of error: any Error) -> HandshakeOutcome {
        guard let error = error as? NIOSSLError, case .handshakeFailed(let reason) = error else { return .abandoned }
        let words = "\(reason)"
        if words.contains("HTTP_REQUEST") || words.contains("HTTPS_PROXY_REQUEST") { return .plainHTTP }
        return words.contains("EOF") || words.lowercased().contains("eofduring") ? .abandoned : .refused
    }
}
