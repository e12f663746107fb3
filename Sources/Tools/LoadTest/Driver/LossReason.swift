import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

/// Why a connection could not be made or was lost, in a few words that are the same for the same cause.
enum LossReason {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return describe(code: error.errnoCode)
        case let error as ChannelError:
            if case .connectTimeout = error { return "no connection in time" }
            return "the connection was closed"
        case let error as NIOSSLError:
            guard case .handshakeFailed(let cause) = error else { return "the TLS connection failed" }
            // The library tells the cause in a text of its own, with places in its sources.
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
