/// What leads to this machine and no other.
public enum Loopback {
    private static let blocks = ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) }

    /// Whether a host, by name or address and without brackets, is this machine itself: `localhost` (RFC 6761, section
    /// 6.3) or a loopback address.
    public static func contains(host: some StringProtocol) -> Bool {
        host.lowercased() == "localhost"
            || IPAddress(host).map { address in blocks.contains { $0.contains(address) } } ?? false
    }
}
