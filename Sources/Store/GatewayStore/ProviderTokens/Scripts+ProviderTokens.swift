extension Scripts {
    static let exchangeProviderToken = ScriptLibrary.embedded["exchange-provider-token"]
}
