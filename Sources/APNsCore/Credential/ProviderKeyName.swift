public import Delivery

/// Names a key: the two identifiers, of ASCII letters and digits.
public struct ProviderKeyName: Hashable, Sendable {
    public let teamIdentifier: String
    public let keyIdentifier: String

    public init(teamIdentifier: String, keyIdentifier: String) {
        self.teamIdentifier = teamIdentifier
        self.keyIdentifier = keyIdentifier
    }

    /// The two as any provider's.
    public var account: ProviderAccount { ProviderAccount(("team", teamIdentifier), ("key", keyIdentifier)) }
}
