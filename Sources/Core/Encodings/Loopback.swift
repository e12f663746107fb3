/// The host names and addresses of the local machine.
public enum Loopback {
    private static let blocks = ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) }

    /// True if a host, without brackets, is the local machine: `localhost` (RFC 6761, section 6.3) or a loopback
    /// address.
    public static func contains(host: some StringProtocol) -> Bool {
        host.lowercased() == "localhost"
            || IPAddress(host).map { address in blocks.contains { $0.contains(address) } } ?? false
    }
}
