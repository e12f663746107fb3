import Delivery

extension Keys {
    /// The provider token that all gateways with this account use.
    static func providerToken(_ account: ProviderAccount) -> String { "fanfare:{p:\(account.name)}" }

    /// The lease on getting the account's next token.
    static func providerTokenLease(_ account: ProviderAccount) -> String { "\(providerToken(account)):f" }
}
