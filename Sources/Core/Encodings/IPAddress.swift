/// An IPv4 or IPv6 address, as bytes in network order.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes.
    public let bytes: [UInt8]

    /// Returns nil unless there are four or sixteen bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// True for IPv4, false for IPv6.
    public var isVersion4: Bool { bytes.count == 4 }

    /// Parses four decimal numbers without leading zeros, or an IPv6 address (RFC 4291, section 2.2). Ambiguous
    /// spellings are refused: octal, hexadecimal, fewer numbers, zone identifiers.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard let bytes = text.contains(":") ? IPAddress.version6(text) : IPAddress.version4(text) else { return nil }
        self.bytes = bytes
    }

    private static func version4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let numbers = parts.compactMap { part -> UInt8? in
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part == "0" || part.first != "0"
            else { return nil }
            return UInt8(part)
        }
        return numbers.count == 4 ? numbers : nil
    }

    private static func version6(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 45 else { return nil }
        let halves = text.ranges(of: "::")
        guard halves.count <= 1, !text.contains(":::") else { return nil }
        guard let gap = halves.first else {
            let words = words(text[...], mayEndInVersion4: true)
            return words?.count == 16 ? words : nil
        }
        guard let head = words(text[..<gap.lowerBound], mayEndInVersion4: false),
            let tail = words(text[gap.upperBound...], mayEndInVersion4: true), head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func words(_ text: Substring, mayEndInVersion4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInVersion4, index == parts.count - 1, part.contains("."), let last = version4(String(part)) {
                bytes += last
                continue
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
                let word = UInt16(part, radix: 16)
            else { return nil }
            bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
        }
        return bytes
    }

    /// Dotted decimal, or the IPv6 form of RFC 5952: lower case, and the longest run of at least two zero groups as
    /// `::`. A mapped IPv4 address keeps its dots.
    public var description: String {
        if isVersion4 { return bytes.map { String($0) }.joined(separator: ".") }
        if bytes.prefix(12).elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return "::ffff:" + bytes.suffix(4).map { String($0) }.joined(separator: ".")
        }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let gap = IPAddress.longestRunOfZeros(groups) else { return text(groups[...]) }
        return "\(text(groups[..<gap.lowerBound]))::\(text(groups[gap.upperBound...]))"
    }

    private static func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            guard groups[index] == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > longest.count { longest = start..<(index + 1) }
        }
        return longest.count >= 2 ? longest : nil
    }
}

/// A block of addresses: all that begin with the same bits.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    let address: IPAddress
    let length: Int

    /// Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let most = address.bytes.count * 8
        var length = most
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let given = Int(parts[1]), given <= most
            else { return nil }
            length = given
        }
        self.address = address
        self.length = length
    }

    /// True if the address begins with the block's bits. An address of the other version never does.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = length / 8
        guard other.bytes.prefix(whole).elementsEqual(address.bytes.prefix(whole)) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
    }

    public var description: String { "\(address)/\(length)" }
}
