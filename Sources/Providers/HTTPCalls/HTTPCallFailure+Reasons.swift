import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

extension HTTPCallFailure {
    static func closed(wasSent: Bool) -> HTTPCallFailure {
        HTTPCallFailure(kind: .timeout, description: "shut down", mayHaveBeenProcessed: wasSent)
    }

    static let late = HTTPCallFailure(kind: .timeout, description: "no answer in time", mayHaveBeenProcessed: true)

    /// Describes an error of the HTTP client.
    init(_ error: any Error, bodyLimit: Int) {
        switch error {
        case is NIOTooManyBytesError:
            self.init(
                kind: .tooLong, description: "the answer has more than \(bodyLimit) bytes", mayHaveBeenProcessed: true)
        case let error as NIOConnectionError: self = .unconnected(.connection, Self.reason(error))
        case let error as HTTPClientError: self.init(error)
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream:
            self.init(kind: .refused, description: "the server refuses the request", mayHaveBeenProcessed: false)
        // Usually a stream above a GOAWAY, which NIO reports like one that the server cancels.
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .cancel:
            self.init(kind: .refused, description: "the server cancels the request", mayHaveBeenProcessed: true)
        case NIOSSLError.uncleanShutdown: self = .lost("it ended without a close_notify")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .unconnected(.tls, Self.handshake(error))
        default: self = .lost(Self.short(error))
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        // The connection was closing when the request was to be sent.
        case .cancelled:
            self.init(kind: .refused, description: "the server closes the connection", mayHaveBeenProcessed: false)
        case .connectTimeout, .getConnectionFromPoolTimeout: self = .unconnected(.timeout, "none in time")
        case .tlsHandshakeTimeout: self = .unconnected(.tls, "no TLS handshake in time")
        case .httpProxyHandshakeTimeout: self = .unconnected(.timeout, "the proxy does not answer")
        case .proxyAuthenticationRequired:
            self = .unconnected(.connection, "the proxy refuses user and password (407)")
        case .invalidProxyResponse: self = .unconnected(.connection, "the proxy opens no tunnel")
        default: self = .lost(Self.short(error))
        }
    }

    private static func unconnected(_ kind: Kind, _ reason: String) -> HTTPCallFailure {
        HTTPCallFailure(kind: kind, description: "no connection: \(reason)", mayHaveBeenProcessed: false)
    }

    private static func lost(_ reason: String) -> HTTPCallFailure {
        HTTPCallFailure(
            kind: .connection, description: "the connection was lost: \(reason)", mayHaveBeenProcessed: true)
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        guard let first = error.connectionErrors.first?.error else { return "the name \(error.host) is unknown" }
        return (first as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? short(first)
    }

    private static func handshake(_ error: any Error) -> String {
        let text = short(error)
        return text.contains("CERTIFICATE_VERIFY_FAILED") ? "the certificate is not trusted" : text
    }

    private static func short(_ error: any Error) -> String { String(String(describing: error).prefix(200)) }
}
