import Encodings

/// A load test is an attack on whoever has not asked for it: without a word only this machine is called.
enum HostGuard {
    /// Throws when this host may not be called.
    ///
    /// - Parameter owned: The host that the caller has declared to be its own.
    static func check(_ url: GatewayURL, owned: String?) throws(LoadTestError) {
        if isOwned(url, owned) || isLoopback(name: url.host) { return }
        if let owned {
            throw LoadTestError(
                "--i-own-this-host names \(owned), but the URL names \(url.host): use the same host in both")
        }
        throw LoadTestError(
            "\(url.host) is not this machine. Run load tests only against your own gateway; if it is yours, add "
                + "--i-own-this-host \(url.host)")
    }

    /// Throws when a name that claims to be this machine leads elsewhere.
    ///
    /// - Parameter address: The numeric address to which the name was resolved.
    static func check(_ url: GatewayURL, resolved address: String, owned: String?) throws(LoadTestError) {
        if isOwned(url, owned) || isLoopback(address: address) { return }
        throw LoadTestError("\(url.host) resolves to \(address), which is not this machine")
    }

    private static func isOwned(_ url: GatewayURL, _ owned: String?) -> Bool {
        owned.map { $0.lowercased() == url.host } ?? false
    }

    static func isLoopback(name: String) -> Bool {
        name == "localhost" || isLoopback(address: name)
    }

    /// A number rather than a name: it cannot be asked for in a TLS handshake (RFC 6066 section 3).
    static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.allSatisfy { $0 == "." || $0.isWholeNumber }
    }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressBlock($0) }

    /// 127.0.0.0/8 (RFC 1122 section 3.2.1.3) and ::1 (RFC 4291 section 2.5.3).
    static func isLoopback(address: String) -> Bool {
        guard let address = IPAddress(address) else { return false }
        return loopback.contains { $0.contains(address) }
    }
}
