public import Encodings

/// Addresses whose connections are counted together: one IPv4 address, or an IPv6 prefix of 64 bits. A customer of a
/// network can choose the other 64 bits freely.
public struct AddressGroup: Hashable, Sendable {
    private let prefix: UInt64
    private let isVersion4: Bool

    /// The group of an address; nil is the group of connections without an address, for example of a local socket.
    public init(_ address: IPAddress?) {
        guard let address = address?.unmapped else {
            prefix = 0
            isVersion4 = false
            return
        }
        prefix = address.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        isVersion4 = address.isVersion4
    }
}

extension IPAddress {
    /// The IPv4 address if it is mapped into IPv6 (RFC 4291, section 2.5.5.2), otherwise the address itself. Listeners
    /// for both versions see mapped addresses.
    public var unmapped: IPAddress {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF,
            let mapped = IPAddress(bytes: Array(bytes[12...]))
        else { return self }
        return mapped
    }
}
