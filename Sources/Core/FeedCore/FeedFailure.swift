/// The reason why a poll of a feed failed in part or in whole. The raw value is a label of metrics and the stored form
/// in Redis.
public enum FeedFailure: String, CaseIterable, Equatable, Sendable {
    /// The connection failed: refused, reset, no route, or an unknown host.
    case connection
    /// TLS failed: an untrusted certificate or a failed handshake.
    case tls
    /// No complete answer arrived in time.
    case timeout
    /// A redirect, which is not followed.
    case redirect
    /// The request was refused: 4xx, or a status without a case of its own.
    case refused = "status_4xx"
    /// The feed has a server error (5xx).
    case server = "status_5xx"
    /// The body exceeds the limit.
    case tooLarge = "too_large"
    /// The body is not JSON or not a list of topics.
    case malformed
    /// The tenant is unknown, disabled, or of a tier without Live Activities.
    case tenant
    /// Redis did not store the feed's topics.
    case store

    /// The predicate after "the feed", for people.
    public var explanation: String {
        switch self {
        case .connection: "is unreachable"
        case .tls: "has no trusted certificate, or does not speak TLS"
        case .timeout: "does not answer in time"
        case .redirect: "answers with a redirect, which the gateway does not follow: set the URL of its target"
        case .refused: "refuses the request (4xx): check its URL and headers_file"
        case .server: "answers with a server error (5xx)"
        case .tooLarge: "answers with more than max_bytes"
        case .malformed: "does not answer with {\"topics\": [...]}"
        case .tenant: "belongs to a tenant that is unknown, disabled, or below the required tier"
        case .store: "could not be written to Redis"
        }
    }
}
