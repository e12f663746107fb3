import Delivery

extension Keys {
    /// The provider token that all gateways with this account use.
    static func providerToken(_ account: ProviderAccount) -> String { "fanfare:{p:\(account.name)}" }
}
