public import TimeCore

/// The state of a provider with a credential, as its answers show it.
public enum ProviderHealth: Equatable, Sendable {
    case healthy
    /// Only single pushes are sent, to find out if the provider serves again.
    case paused(PauseReason, since: MonotonicTime)

    /// True if only single pushes are sent.
    public var isPaused: Bool { self != .healthy }
}

/// The reason of a pause.
public struct PauseReason: Hashable, Sendable {
    /// The kinds of reasons. The raw values are labels of metrics.
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
        /// The provider does not accept the app's bundle identifier, or knows its tokens from another Firebase project.
        case topic

        /// True if this gateway's configuration is at fault, and not the provider or a connection.
        public var isConfiguration: Bool { self == .credential || self == .topic }
    }

    /// For programs; `name` and `text` are for people.
    public let kind: Kind
    /// One word for people and records: the provider's own if there is one, for example `ServiceUnavailable`.
    public let name: String
    /// The last answer or failure, for the log.
    public let text: String

    public init(kind: Kind, name: String, text: String) {
        self.kind = kind
        self.name = name
        self.text = text
    }
}
