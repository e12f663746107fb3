/// Why a poll of a feed changed nothing, or not all that it should have. The raw value is a label of metrics and what
/// Redis keeps.
public enum FeedFailure: String, CaseIterable, Equatable, Sendable {
    /// No connection: refused, reset, no route, no such name.
    case connection
    /// No TLS: a certificate that cannot be verified, or no handshake.
    case tls
    /// No whole answer in time.
    case timeout
    /// A redirect, which is not followed.
    case redirect
    /// The request was refused (4xx, and whatever is no status that is named here).
    case refused = "status_4xx"
    /// The feed is out of order (5xx).
    case server = "status_5xx"
    /// A body beyond the limit.
    case tooLarge = "too_large"
    /// A body that is no JSON, or not a list of topics.
    case malformed
    /// The tenant is unknown, switched off, or of a tier without live activities.
    case tenant
    /// Redis did not take what the feed says.
    case store

    /// What follows "the feed": for people.
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
