import Encodings

extension GatewayConfiguration.HTTP {
    /// Reads the limits of connections and the trusted proxies.
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
                "http.proxy_protocol", "The PROXY protocol is on, but no proxy is trusted.",
                "List the proxies in http.trusted_proxies; other addresses are not trusted.")
        }
    }
}

extension GatewayConfiguration.HTTP {
    /// Reads the origins whose pages may read replies.
    mutating func readOrigins(_ settings: inout SettingsReader) {
        corsOrigins = settings.readList("http.cors_origins")
        for text in corsOrigins where text != "*" && !GatewayConfiguration.HTTP.isOrigin(text) {
            let shown = Redaction.quoted(text) ?? "An element"
            settings.refuse(
                "http.cors_origins", "\(shown) is not an origin.",
                "Use scheme, host and port as browsers send them, like https://console.example.com, or \"*\" alone."
            )
        }
        if corsOrigins.contains("*"), corsOrigins.count > 1 {
            settings.refuse(
                "http.cors_origins", "The list has * and other origins.",
                "Use \"*\" alone, or only the intended origins.")
        }
    }

    /// True for scheme, host and optional port in lower case, without a trailing slash (WHATWG HTML, section 7.1.1).
    private static func isOrigin(_ text: String) -> Bool {
        text.wholeMatch(of: /https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[1-9][0-9]{0,4})?/) != nil
    }
}

extension SettingsReader {
    /// Reads a list of addresses and blocks of addresses.
    mutating func readBlocks(_ key: String) -> [String] {
        let texts = readList(key)
        for text in texts where AddressBlock(text) == nil {
            let shown = Redaction.quoted(text) ?? "An element"
            refuse(
                key, "\(shown) is not an address or CIDR block.",
                "Use addresses or blocks like 10.1.0.0/16 or fd00::/8.")
        }
        return texts
    }
}
