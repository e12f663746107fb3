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
        case .connection: "cannot be connected to"
        case .tls: "has no certificate that can be verified, or speaks no TLS"
        case .timeout: "does not answer in time"
        case .redirect: "answers with a redirect, which is not followed: give the URL that it leads to"
        case .refused: "refuses the request (a status that begins with 4): look at its URL and headers_file"
        case .server: "is out of order (a status that begins with 5)"
        case .tooLarge: "answers with more than max_bytes"
        case .malformed: "answers with something that is not {\"topics\": [...]}"
        case .tenant: "belongs to a tenant that is unknown, switched off, or of a tier without live activities"
        case .store: "could not be written to Redis"
        }
    }
}
