extension Scripts {
    static let exchangeProviderToken = ScriptLibrary.embedded["exchange-provider-token"]
    static let returnTokenLease = ScriptLibrary.embedded["return-token-lease"]
}
