public import Encodings

/// Whose connections are counted together: an address of version 4, or the 64 bits of one of version 6 that a network
/// gives to each of its customers, who may choose the rest at will.
public struct AddressGroup: Hashable, Sendable {
    private let prefix: UInt64
    private let isVersion4: Bool

    /// The group of an address; nil stands for connections that have none, such as those of a local socket.
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
    /// An address of version 4 for one that is mapped into version 6 (RFC 4291, section 2.5.5.2), as a listener for
    /// both versions sees it; else the address itself.
    public var unmapped: IPAddress {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF,
            let mapped = IPAddress(bytes: Array(bytes[12...]))
        else { return self }
        return mapped
    }
}
