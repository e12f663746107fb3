import Delivery

extension Keys {
    /// The provider token that all gateways with this account use.
    static func providerToken(_ account: ProviderAccount) -> String { "fanfare:{p:\(account.name)}" }

    /// Whose turn it is to get the account's next token.
    static func providerTokenLease(_ account: ProviderAccount) -> String { "\(providerToken(account)):f" }
}
