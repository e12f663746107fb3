/// Why a receiver was not told of an event.
public struct AttemptFailure: Equatable, Sendable {
    /// In a word, for counts.
    public enum Kind: String, CaseIterable, Sendable {
        /// The receiver answered with a status that is no success.
        case answered3xx = "answered_3xx"
        case answered4xx = "answered_4xx"
        case answered5xx = "answered_5xx"
        /// What came back is no HTTP.
        case malformed
        /// There was no answer in time.
        case noAnswer = "no_answer"
        /// There was no connection, or it broke off.
        case connection
        /// The receiver's certificate is not trusted, not for its name, or not valid now.
        case certificate
        /// The receiver speaks no TLS, or none that both can.
        case tls
        /// The receiver's name cannot be looked up, or has no address.
        case lookup
        /// The name leads to an address that nothing is sent to.
        case address
        /// The URL is not allowed (any more).
        case url
        /// The webhook's secret does not open with the gateway's key.
        case secret
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// For people: names the cause, and nothing of the operator's network.
    public let text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
