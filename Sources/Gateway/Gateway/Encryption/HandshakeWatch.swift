import NIOCore
import NIOSSL
import NIOTLS

/// Reports the outcome of a connection's TLS handshake once, and closes the connection if the handshake fails.
///
/// A connection that ends without TLS's `close_notify` is no error, because HTTP detects truncated messages itself.
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
