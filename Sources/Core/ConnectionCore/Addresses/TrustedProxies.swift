public import Encodings

/// The proxies that are believed when they say whose request they pass on.
public struct TrustedProxies: Sendable, Equatable {
    private let blocks: [AddressBlock]
    /// The most hops of a chain that are looked at.
    private static let mostHops = 32

    /// None for an empty list.
    public init(_ blocks: [AddressBlock] = []) {
        self.blocks = blocks
    }

    /// Whether nobody is trusted.
    public var isEmpty: Bool { blocks.isEmpty }

    /// Whether an address is a trusted proxy's.
    public func contains(_ address: IPAddress) -> Bool {
        guard !blocks.isEmpty else { return false }
        let plain = address.unmapped
        return blocks.contains { $0.contains(plain) || $0.contains(address) }
    }

    /// Whose request it is: of the addresses that the proxies have written down, one behind the other, the last one
    /// that is no trusted proxy. What stands in front of that one anybody may have made up.
    /// - Parameters:
    ///   - peer: who the connection comes from.
    ///   - fields: the `X-Forwarded-For` fields in their order.
    public func client(_ peer: IPAddress, forwardedFor fields: some BidirectionalCollection<String>) -> IPAddress {
        var nearest = peer.unmapped
        guard contains(nearest) else { return nearest }
        var hops = 0
        for field in fields.reversed() {
            for element in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                hops += 1
                // An element that is no address ends the chain at the one who wrote it down.
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

    /// Nothing, or a colon with a port behind it.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        let digits = text.dropFirst().utf8
        return first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
