/// The public name of a credential, in parts such as team and key. Never anything secret.
public struct ProviderAccount: Hashable, Sendable {
    /// One part of the name.
    public struct Label: Hashable, Sendable {
        /// A word for log and metrics, such as `team`.
        public let name: String
        /// What the credential has there, such as the team's identifier.
        public let value: String
    }

    /// The parts, from the widest to the one that is the credential itself.
    public let labels: [Label]

    /// Of names and values, in order.
    public init(_ labels: (name: String, value: String)...) {
        self.labels = labels.map { Label(name: $0.name, value: $0.value) }
    }

    /// The value of a label; nil when there is none of that name.
    public subscript(name: String) -> String? { labels.first { $0.name == name }?.value }

    /// In one word: the values, with a colon between.
    public var name: String { labels.map(\.value).joined(separator: ":") }
}

/// Which provider pushes go to, and with whose credential: what gateways tell each other apart by, and people in log
/// and metrics.
public struct ProviderIdentity: Hashable, Sendable {
    /// Whose credential.
    public let account: ProviderAccount
    /// Host and port.
    public let authority: String

    public init(_ account: ProviderAccount, authority: String) {
        self.account = account
        self.authority = authority
    }
}
