import Encodings

extension GatewayConfiguration.HTTP {
    /// What is allowed of connections, and whose they are.
    mutating func readConnections(_ settings: inout SettingsReader) {
        settings.read(
            "http.max_connections", .integer("a number of connections", in: 1...1_000_000), into: &maxConnections)
        settings.read(
            "http.max_connections_per_address", .integer("a number of connections", in: 1...1_000_000),
            into: &maxConnectionsPerAddress)
        trustedProxies = settings.readBlocks("http.trusted_proxies")
        settings.read("http.proxy_protocol", .flag, into: &proxyProtocol)
        if proxyProtocol, trustedProxies.isEmpty {
            settings.refuse(
                "http.proxy_protocol", "It is on, and there is no proxy to take it from.",
                "Name the proxies in http.trusted_proxies: nobody else is believed.")
        }
    }
}

extension SettingsReader {
    /// Reads a list of addresses and blocks of addresses.
    mutating func readBlocks(_ key: String) -> [String] {
        let texts = readList(key)
        for text in texts where AddressBlock(text) == nil {
            let shown = Redaction.quoted(text) ?? "An element"
            refuse(
                key, "\(shown) is no block of addresses.",
                "Give addresses or blocks such as 10.1.0.0/16 or fd00::/8.")
        }
        return texts
    }
}
