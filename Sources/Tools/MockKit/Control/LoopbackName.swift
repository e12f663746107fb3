import Encodings

/// The names of this machine alone. A page of another site can reach a loopback port only under a name of that site.
package enum LoopbackName {
    /// True if a `Host` field names this machine alone, with a port or without.
    package static func isNamed(by host: String) -> Bool {
        guard let authority = try? Authority(host) else { return false }
        if let address = IPAddress(authority.host) { return blocks.contains { $0.contains(address) } }
        let name = authority.host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static let blocks = ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) }
}
