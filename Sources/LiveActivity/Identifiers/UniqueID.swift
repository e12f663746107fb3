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

    init?(ascii text: UnsafeBufferPointer<UInt8>) {
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
        // Eight characters at a time: one at a time costs many times as much.
        withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { characters in
            let (second, third) = (UniqueID.digits(high), UniqueID.digits(low >> 32))
            characters.storeBytes(of: UniqueID.digits(high >> 32).littleEndian, as: UInt64.self)
            characters.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
            characters.storeBytes(
                of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
            characters.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
            characters.storeBytes(
                of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
            characters.storeBytes(of: UniqueID.digits(low).littleEndian, toByteOffset: 28, as: UInt64.self)
            characters[8] = UInt8(ascii: "-")
            characters[13] = UInt8(ascii: "-")
            characters[18] = UInt8(ascii: "-")
            characters[23] = UInt8(ascii: "-")
            text.append(contentsOf: characters)
        }
    }

    /// The eight digits of the lower half, in lower case, the first one in the lowest byte.
    private static func digits(_ word: UInt64) -> UInt64 {
        var digits = word & 0xFFFF_FFFF
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 0 to 9 lie at "0"; 10 to 15 are 39 further, at "a".
        let letters = ((digits + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return (digits + 0x3030_3030_3030_3030 + letters * 39).byteSwapped
    }
}
