import Encodings

/// A UUID (RFC 9562) as sixteen bytes, for an activity or a broadcast.
public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, in network order.
    public let high: UInt64
    /// The last eight bytes, in network order.
    public let low: UInt64

    /// A random UUID of version 4, from the given generator.
    public static func random(using generator: inout some RandomNumberGenerator) -> UniqueID {
        let high = generator.next()
        return UniqueID(random: (high, generator.next()))
    }

    /// A random UUID of version 4, from the kernel.
    public static func random() -> UniqueID { UniqueID(random: RandomWords.shared.pair()) }

    /// Sets the bits of version 4.
    private init(random words: (UInt64, UInt64)) {
        self.init(
            high: words.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000,
            low: words.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// A random id for an activity, which can be computed from its broadcasts' ids: see `activity`.
    public static func randomActivity() -> UniqueID { random().activity }

    /// The id of the activity to which a broadcast id belongs. It has the same first ten bytes; the last six are
    /// computed from them. Activity ids that were created otherwise are never the result.
    public var activity: UniqueID {
        // The finalizer of SplitMix64: each bit of the ten bytes affects half of the last six, on which shards depend.
        var mixed = high ^ (low >> 48) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return UniqueID(high: high, low: low & ~UniqueID.lastSixBytes | mixed & UniqueID.lastSixBytes)
    }

    /// A random id with the first ten bytes of this one.
    public func randomBroadcast() -> UniqueID {
        let random = UniqueID.random().low & UniqueID.lastSixBytes
        return UniqueID(high: high, low: low & ~UniqueID.lastSixBytes | random)
    }

    private static let lastSixBytes: UInt64 = 0xFFFF_FFFF_FFFF

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the form `8-4-4-4-12` in hexadecimal digits of either case; nil for other texts.
    @inlinable
    public init?(_ text: some StringProtocol) {
        var spelling = Spelling.smallLetters
        self.init(text, &spelling)
    }

    /// The case of an id's letters.
    public enum Spelling: Sendable {
        case capitals
        /// Lower case, or no letters.
        case smallLetters
        case mixed
    }

    /// Parses the form `8-4-4-4-12`.
    /// - Parameter spelling: Receives the case of the letters.
    @inlinable
    public init?(_ text: some StringProtocol, _ spelling: inout Spelling) {
        let id = text.utf8.withContiguousStorageIfAvailable { UniqueID(ascii: $0, &spelling) }
        guard
            let id = id ?? Array(text.utf8).withUnsafeBufferPointer({ UniqueID(ascii: $0, &spelling) })
        else { return nil }
        self = id
    }

    @usableFromInline
    init?(ascii text: UnsafeBufferPointer<UInt8>, _ spelling: inout Spelling) {
        guard text.count == UniqueID.textLength else { return nil }
        let hyphen = UInt8(ascii: "-")
        guard text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else { return nil }
        let text = UnsafeRawBufferPointer(text)
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func words(_ first: Int, _ second: Int) -> UInt64 {
            let first = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: first, as: UInt32.self))
            let second = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: second, as: UInt32.self))
            return UInt64(second) << 32 | UInt64(first)
        }
        var (capitals, smallLetters): (UInt64, UInt64) = (0, 0)
        func number(_ word: UInt64) -> UInt64? {
            Hexadecimal.number(word, capitals: &capitals, smallLetters: &smallLetters).map(UInt64.init)
        }
        guard let first = number(word(0)), let second = number(words(9, 14)), let third = number(words(19, 24)),
            let last = number(word(28))
        else { return nil }
        spelling = capitals == 0 ? .smallLetters : smallLetters == 0 ? .capitals : .mixed
        self.init(high: first << 32 | second, low: third << 32 | last)
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

    /// The number of characters of a UUID in text form.
    public static let textLength = 36

    /// Writes the 36 characters of `description`, optionally in capitals. `target` must have room for them.
    public func write(to target: UnsafeMutableRawBufferPointer, inCapitals: Bool = false) {
        precondition(target.count >= UniqueID.textLength)
        // Writing eight characters at a time is many times faster than one at a time.
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
