/// A UUID (RFC 9562) as sixteen bytes: names an activity or a broadcast.
public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    /// A random UUID of version 4, from the generator given.
    public static func random(using generator: inout some RandomNumberGenerator) -> UniqueID {
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UniqueID(high: high, low: low)
    }

    public static func random() -> UniqueID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the form `8-4-4-4-12` in hexadecimal digits of either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let id = text.utf8.withContiguousStorageIfAvailable { UniqueID(ascii: $0) }
        guard let id = id ?? Array(text.utf8).withUnsafeBufferPointer({ UniqueID(ascii: $0) }) else { return nil }
        self = id
    }

    private init?(ascii text: UnsafeBufferPointer<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var position = 0
        for byte in text {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard digits < 32, let value = Hexadecimal.value(of: byte) else { return nil }
                if digits < 16 {
                    words.0 = words.0 << 4 | UInt64(value)
                } else {
                    words.1 = words.1 << 4 | UInt64(value)
                }
                digits += 1
            }
            position += 1
        }
        guard position == 36, digits == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }

    /// The sixteen bytes in network order.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    /// In lower case.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the 36 characters of `description`.
    public func append(to text: inout [UInt8]) {
        // In one piece: a character at a time costs several times as much.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { characters in
            var position = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    characters[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = index < 8 ? high : low
                let byte = UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64(index & 7)))
                characters[position] = Hexadecimal.digit(byte >> 4)
                characters[position + 1] = Hexadecimal.digit(byte & 15)
                position += 2
            }
            text.append(contentsOf: UnsafeBufferPointer(characters))
        }
    }
}
