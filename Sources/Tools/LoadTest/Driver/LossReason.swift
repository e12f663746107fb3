import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

/// Short reasons for failed connections. Equal causes have equal texts, so they can be counted.
enum LossReason {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return describe(code: error.errnoCode)
        case let error as ChannelError:
            if case .connectTimeout = error { return "no connection in time" }
            return "the connection was closed"
        case let error as NIOSSLError:
            guard case .handshakeFailed(let cause) = error else { return "the TLS connection failed" }
            // The library's message contains positions in its sources.
            return "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
                ? "the gateway's certificate is not trusted" : "the TLS handshake failed"
        case is NIOSSLExtraError: return "the gateway's certificate is not for this host"
        case is HTTPParserError, is NIOHTTPDecoderError: return "the answer is not HTTP"
        default: return "\(error)"
        }
    }

    private static func describe(code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "the connection was refused"
        case ECONNRESET, EPIPE: "the connection was reset"
        case ETIMEDOUT: "no connection in time"
        case EADDRNOTAVAIL: "no free local port"
        case EMFILE, ENFILE: "too many open files"
        default: "the connection failed (errno \(code))"
        }
    }
}
