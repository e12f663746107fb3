import Encodings

/// A UUID (RFC 9562) as sixteen bytes: names an activity or a broadcast.
public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, in network order.
    public let high: UInt64
    /// The last eight.
    public let low: UInt64

    /// A random UUID of version 4, from the generator given.
    public static func random(using generator: inout some RandomNumberGenerator) -> UniqueID {
        let high = generator.next()
        return UniqueID(random: (high, generator.next()))
    }

    /// A random UUID of version 4, from the kernel.
    public static func random() -> UniqueID { UniqueID(random: RandomWords.shared.pair()) }

    /// Of version 4.
    private init(random words: (UInt64, UInt64)) {
        self.init(
            high: words.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000,
            low: words.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// A random id for an activity, to which those of its broadcasts lead: see `activity`.
    public static func randomActivity() -> UniqueID { random().activity }

    /// The one activity that may have a broadcast of this name: its id has the same first ten bytes, and the last six follow
    /// from them. Activities whose id was made in another way are nobody's by this rule.
    public var activity: UniqueID {
        // The finalizer of SplitMix64: each bit of the ten bytes changes half of those that follow, on which shards depend.
        var mixed = high ^ (low >> 48) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return UniqueID(high: high, low: low & ~UniqueID.lastSixBytes | mixed & UniqueID.lastSixBytes)
    }

    /// A random id that has the first ten bytes of this one.
    public func randomBroadcast() -> UniqueID {
        let random = UniqueID.random().low & UniqueID.lastSixBytes
        return UniqueID(high: high, low: low & ~UniqueID.lastSixBytes | random)
    }

    private static let lastSixBytes: UInt64 = 0xFFFF_FFFF_FFFF

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
        guard position == UniqueID.textLength, digits == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }

    /// The sixteen bytes in network order.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// In lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: UniqueID.textLength) {
            write(to: UnsafeMutableRawBufferPointer($0))
            return UniqueID.textLength
        }
    }

    /// Appends the 36 characters of `description`.
    public func append(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: UniqueID.textLength, alignment: 1) { characters in
            write(to: characters)
            text.append(contentsOf: characters)
        }
    }

    /// How many characters a spelled-out identifier has.
    public static let textLength = 36

    /// Writes the 36 characters of `description`, or the same in capitals; `target` must have room for them.
    public func write(to target: UnsafeMutableRawBufferPointer, inCapitals: Bool = false) {
        precondition(target.count >= UniqueID.textLength)
        // Eight characters at a time: one at a time costs many times as much.
        let (first, second) = UniqueID.digits(high, inCapitals)
        let (third, last) = UniqueID.digits(low, inCapitals)
        target.storeBytes(of: first.littleEndian, as: UInt64.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
        target.storeBytes(of: last.littleEndian, toByteOffset: 28, as: UInt64.self)
        target[8] = UInt8(ascii: "-")
        target[13] = UInt8(ascii: "-")
        target[18] = UInt8(ascii: "-")
        target[23] = UInt8(ascii: "-")
    }

    @inline(__always)
    private static func digits(_ word: UInt64, _ inCapitals: Bool) -> (UInt64, UInt64) {
        (
            Hexadecimal.digits(UInt32(truncatingIfNeeded: word >> 32), inUpperCase: inCapitals),
            Hexadecimal.digits(UInt32(truncatingIfNeeded: word), inUpperCase: inCapitals)
        )
    }
}
