import Encodings

/// Restricts load tests to this machine and hosts that the caller owns, because elsewhere they are attacks.
enum HostGuard {
    /// Throws if the host may not be called.
    ///
    /// - Parameter owned: The host that the caller declares to own.
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

    /// Throws if a loopback name resolves to another machine.
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

    /// True for a numeric address, which a TLS handshake cannot use as a server name (RFC 6066, section 3).
    static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.allSatisfy { $0 == "." || $0.isWholeNumber }
    }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressBlock($0) }

    /// True for 127.0.0.0/8 (RFC 1122, section 3.2.1.3) and ::1 (RFC 4291, section 2.5.3).
    static func isLoopback(address: String) -> Bool {
        guard let address = IPAddress(address) else { return false }
        return loopback.contains { $0.contains(address) }
    }
}
