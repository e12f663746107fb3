public import Encodings

/// The addresses to which events may be sent. A customer chooses the receiver's URL. Without this guard a webhook could
/// reach the gateway's Redis, its internal network, or a cloud's metadata service.
public struct AddressGuard: Sendable {
    /// True if every address is allowed.
    public var allowsPrivate: Bool
    /// Blocks that are allowed although they are not public.
    public var allowed: [AddressBlock]

    public init(allowsPrivate: Bool = false, allowed: [AddressBlock] = []) {
        self.allowsPrivate = allowsPrivate
        self.allowed = allowed
    }

    /// Returns the reason for refusing an address; nil if it is allowed. An IPv6 address that embeds an IPv4 address is
    /// checked as the latter.
    public func refusal(of address: IPAddress) -> String? {
        guard !allowsPrivate else { return nil }
        let meant = AddressGuard.embedded(in: address) ?? address
        if allowed.contains(where: { $0.contains(address) || $0.contains(meant) }) { return nil }
        guard let reason = AddressGuard.special(meant) else { return nil }
        return "\(address) is \(reason)"
    }

    /// Returns the reason for refusing a name with these addresses. One forbidden address is enough, because any of
    /// them may be chosen for the connection.
    public func refusal(of addresses: [IPAddress]) -> String? {
        addresses.lazy.compactMap(refusal(of:)).first
    }

    // IANA's registries of special-purpose addresses (RFC 6890 and later additions), and multicast. Azure's platform
    // address is public but reaches the host's services (Azure Virtual Network, "What is IP address 168.63.129.16?").
    private static let version4: [(AddressBlock, String)] = blocks([
        ("0.0.0.0/8", "unspecified"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "shared address space"),
        ("127.0.0.0/8", "loopback"), ("168.63.129.16/32", "a cloud's platform service"),
        ("169.254.0.0/16", "link-local"), ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"), ("192.0.2.0/24", "for documentation"), ("192.31.196.0/24", "reserved"),
        ("192.52.193.0/24", "reserved"), ("192.88.99.0/24", "a relay"), ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved"), ("198.18.0.0/15", "for benchmarks"), ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"), ("224.0.0.0/4", "multicast"), ("240.0.0.0/4", "reserved"),
    ])

    private static let version6: [(AddressBlock, String)] = blocks([
        ("::1/128", "loopback"), ("::/128", "unspecified"), ("fc00::/7", "private"), ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"), ("ff00::/8", "multicast"), ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"), ("3fff::/20", "for documentation"), ("5f00::/16", "reserved"),
        ("64:ff9b:1::/48", "private"), ("100::/64", "for discarding"), ("2620:4f:8000::/48", "reserved"),
    ])

    private static let globalUnicast = AddressBlock("2000::/3")

    private static func blocks(_ list: [(String, String)]) -> [(AddressBlock, String)] {
        list.compactMap { text, reason in AddressBlock(text).map { ($0, reason) } }
    }

    private static func special(_ address: IPAddress) -> String? {
        let list = address.isVersion4 ? version4 : version6
        if let (_, reason) = list.first(where: { $0.0.contains(address) }) { return reason }
        // Addresses outside the allocated global unicast range are refused.
        if !address.isVersion4, globalUnicast?.contains(address) != true { return "reserved" }
        return nil
    }

    /// Returns the embedded IPv4 address: IPv4-mapped (RFC 4291), IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4
    /// (RFC 3056). Other embeddings are refused as reserved.
    private static func embedded(in address: IPAddress) -> IPAddress? {
        let bytes = address.bytes
        guard bytes.count == 16 else { return nil }
        let tail = Array(bytes[12...])
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return IPAddress(bytes: tail) }
        if bytes[..<8].allSatisfy({ $0 == 0 }), bytes[8..<12].elementsEqual([0xFF, 0xFF, 0, 0]) {
            return IPAddress(bytes: tail)
        }
        if bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return IPAddress(bytes: tail) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return IPAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }
}
