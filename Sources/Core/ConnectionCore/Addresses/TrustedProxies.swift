public import Encodings

/// The proxies that are trusted to name the client of a request.
public struct TrustedProxies: Sendable, Equatable {
    private let blocks: [AddressBlock]
    /// The maximum number of hops that are examined.
    private static let mostHops = 32

    /// Trusts no proxy if the list is empty.
    public init(_ blocks: [AddressBlock] = []) {
        self.blocks = blocks
    }

    /// True if no proxy is trusted.
    public var isEmpty: Bool { blocks.isEmpty }

    /// True if the address belongs to a trusted proxy.
    public func contains(_ address: IPAddress) -> Bool {
        guard !blocks.isEmpty else { return false }
        let plain = address.unmapped
        return blocks.contains { $0.contains(plain) || $0.contains(address) }
    }

    /// Returns the client's address: the last listed address that is not a trusted proxy. Addresses before it are
    /// untrusted because the client may have invented them.
    /// - Parameters:
    ///   - peer: The address at the other end of the connection.
    ///   - fields: The `X-Forwarded-For` fields in their order.
    public func client(_ peer: IPAddress, forwardedFor fields: some BidirectionalCollection<String>) -> IPAddress {
        var nearest = peer.unmapped
        guard contains(nearest) else { return nearest }
        var hops = 0
        for field in fields.reversed() {
            for element in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                hops += 1
                // An invalid element ends the chain at the proxy that wrote it.
                guard hops <= TrustedProxies.mostHops, let address = TrustedProxies.address(element) else {
                    return nearest
                }
                nearest = address.unmapped
                guard contains(nearest) else { return nearest }
            }
        }
        return nearest
    }

    /// An address, with or without a port: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`,
    /// `[2001:db8::1]:4711`.
    private static func address(_ element: Substring) -> IPAddress? {
        var text = element
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        guard text.utf8.count <= 64 else { return nil }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
            let inner = text[text.index(after: text.startIndex)..<end]
            return inner.contains(":") ? IPAddress(inner) : nil
        }
        if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = text.firstIndex(of: ":") {
            return isPort(text[colon...]) ? IPAddress(text[..<colon]) : nil
        }
        return IPAddress(text)
    }

    /// True if the text is empty or a colon with a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        let digits = text.dropFirst().utf8
        return first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
