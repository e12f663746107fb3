/// The reason for a failed delivery of an event.
public struct AttemptFailure: Equatable, Sendable {
    /// The kind of a failure, for counts.
    public enum Kind: String, CaseIterable, Sendable {
        /// The receiver answered with a status other than success.
        case answered3xx = "answered_3xx"
        case answered4xx = "answered_4xx"
        case answered5xx = "answered_5xx"
        /// The answer is not HTTP.
        case malformed
        /// No answer arrived in time.
        case noAnswer = "no_answer"
        /// No connection was established, or it broke.
        case connection
        /// The receiver's certificate is not trusted, not for its name, or not valid now.
        case certificate
        /// The TLS handshake failed, or no common protocol exists.
        case tls
        /// The receiver's name cannot be resolved or has no address.
        case lookup
        /// The name resolves to a forbidden address.
        case address
        /// The URL is no longer allowed.
        case url
        /// The gateway's key cannot open the webhook's secret.
        case secret
    }

    /// The kind of failure.
    public let kind: Kind
    /// A message for people. It contains the cause, but no detail of the operator's network.
    public let text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
