public import TimeCore

/// Whether a provider takes pushes with a credential, as far as its answers tell.
public enum ProviderHealth: Equatable, Sendable {
    case healthy
    /// Nothing is sent but single pushes that try whether it serves again.
    case paused(PauseReason, since: MonotonicTime)

    /// Whether nothing is sent but single pushes that try it.
    public var isPaused: Bool { self != .healthy }
}

/// Why no pushes are sent.
public struct PauseReason: Hashable, Sendable {
    /// The reasons that are told apart; the raw values are labels of metrics.
    public enum Kind: String, Sendable, CaseIterable {
        /// No connection can be had.
        case noConnection = "no_connection"
        /// Pushes are taken and not answered.
        case noAnswer = "no_answer"
        /// The provider says that it is overloaded or out of order.
        case overloaded
        /// Every stream, or every connection, is refused.
        case refused
        /// The provider does not take the credential.
        case credential
        /// The provider does not accept the app's topic, which is made of its bundle identifier.
        case topic

        /// True if this gateway's configuration is at fault, and not the provider or a connection.
        public var isConfiguration: Bool { self == .credential || self == .topic }
    }

    /// For programs; `name` and `text` are for people.
    public let kind: Kind
    /// One word for people and records: the provider's own where there is one, such as `ServiceUnavailable`.
    public let name: String
    /// What was last heard, for the log.
    public let text: String

    public init(kind: Kind, name: String, text: String) {
        self.kind = kind
        self.name = name
        self.text = text
    }
}
