public import Delivery

/// Names a key: the two identifiers, of ASCII letters and digits.
public struct ProviderKeyName: Hashable, Sendable {
    /// The ten characters of the team that the key belongs to.
    public let teamIdentifier: String
    /// The ten characters that Apple names the key by.
    public let keyIdentifier: String

    public init(teamIdentifier: String, keyIdentifier: String) {
        self.teamIdentifier = teamIdentifier
        self.keyIdentifier = keyIdentifier
    }

    /// The two as any provider's.
    public var account: ProviderAccount { ProviderAccount(("team", teamIdentifier), ("key", keyIdentifier)) }
}
