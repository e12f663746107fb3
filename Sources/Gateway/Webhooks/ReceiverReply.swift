import EventCore
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

/// The result of a request to a receiver.
struct ReceiverReply: Sendable {
    let verdict: Verdict
    /// The status; nil without an answer.
    var status: Int?
    /// The beginning of the body as printable text; nil for an empty one.
    var beginning: String?
    /// True if the connection can carry another request.
    var isReusable = false

    /// The number of bytes of a body that are kept.
    static let longestBeginning = 256

    init(verdict: Verdict) {
        self.verdict = verdict
    }

    init(_ kind: AttemptFailure.Kind, _ text: String) {
        self.init(verdict: .failed(AttemptFailure(kind, text), retryAfter: nil))
    }

    /// The failure, if there is one.
    var failure: AttemptFailure? {
        switch verdict {
        case .delivered: nil
        case .failed(let failure, _): failure
        case .gone: AttemptFailure(.answered4xx, "answered 410: the webhook is disabled")
        }
    }
}

extension AttemptFailure {
    /// Describes an error of an established connection in plain words.
    init(_ error: any Error) {
        // The library's own text contains names of its source files.
        let text = String(describing: error)
        switch error {
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(.certificate, "its certificate is for another name")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                self.init(
                    .certificate,
                    "its certificate is not trusted: its authority is unknown, or it is not valid now")
            } else if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
                self.init(.tls, "the server does not speak TLS on this port")
            } else if text.contains("uncleanShutdown") {
                self.init(.connection, "broke off")
            } else {
                self.init(
                    .tls,
                    "the TLS handshake failed: the server refuses version 1.2 and later, or requires a client certificate"
                )
            }
        case is HTTPParserError: self.init(.malformed, "the answer is not HTTP")
        case is AnswerBound.Exceeded:
            self.init(.malformed, "the answer has more than \(AnswerBound.limit) bytes")
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
            self.init(.connection, "the connection was reset")
        default: self.init(.connection, "broke off")
        }
    }

    /// Describes a failed connection without its address.
    init(connecting error: any Error) {
        let isRefused = (error as? IOError)?.errnoCode == ECONNREFUSED
        var reason = isRefused ? "the connection was refused" : "the connection could not be established"
        if case ChannelError.connectTimeout = error { reason = "no answer in time" }
        self.init(.connection, "cannot connect: \(reason)")
    }
}
