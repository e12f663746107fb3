/// The public name of a credential, in parts like team and key. It contains no secrets.
public struct ProviderAccount: Hashable, Sendable {
    /// A part of the name.
    public struct Label: Hashable, Sendable {
        /// The label's name in log and metrics, `team` for example.
        public let name: String
        /// The label's value, the team's identifier for example.
        public let value: String
    }

    /// The labels, from the most general to the one of the credential itself.
    public let labels: [Label]

    /// Makes an account of names and values in order.
    public init(_ labels: (name: String, value: String)...) {
        self.labels = labels.map { Label(name: $0.name, value: $0.value) }
    }

    /// The value of a label; nil if there is none of this name.
    public subscript(name: String) -> String? { labels.first { $0.name == name }?.value }

    /// The values, separated by colons.
    public var name: String { labels.map(\.value).joined(separator: ":") }
}

/// A provider's address and the credential used there. Gateways, log and metrics identify a provider by it.
public struct ProviderIdentity: Hashable, Sendable {
    /// The credential's public name.
    public let account: ProviderAccount
    /// The host and port.
    public let authority: String

    public init(_ account: ProviderAccount, authority: String) {
        self.account = account
        self.authority = authority
    }
}
