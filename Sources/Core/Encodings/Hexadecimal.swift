/// Base16 (RFC 4648, section 8): bytes as hexadecimal digits, and back.
public enum Hexadecimal {
    /// The value of a digit in upper or lower case; nil for another byte.
    @inlinable
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the number of eight digits, the first in the lowest byte; nil if a byte is not a digit.
    /// - Parameters:
    ///   - capitals: Receives a bit for each upper-case letter.
    ///   - smallLetters: Receives a bit for each lower-case letter.
    @inlinable @inline(__always)
    public static func number(
        _ word: UInt64, capitals: inout UInt64, smallLetters: inout UInt64
    ) -> UInt32? {
        let letters = (word >> 6) & 0x0101_0101_0101_0101
        let small = word | letters << 5
        let halves = ((word & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9).byteSwapped
        let bytes = (halves | halves >> 4) & 0x00FF_00FF_00FF_00FF
        let pairs = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF
        let number = UInt32(truncatingIfNeeded: pairs | pairs >> 16)
        // A byte that is not a digit differs from the spelling of the computed number.
        guard digits(number) == small else { return nil }
        capitals |= letters << 5 & ~word
        smallLetters |= letters << 5 & word
        return number
    }

    /// Decodes an even number of digits in either case. Returns nil for a byte that is not a digit or an odd count.
    @inlinable
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // Contiguous storage is the common case and many times faster than a generic sequence.
        text.withContiguousStorageIfAvailable { decode($0) } ?? Array(text).withUnsafeBufferPointer { decode($0) }
    }

    @usableFromInline
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var isRight = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 2) { target, count in
            count = text.count / 2
            // Both digits of each byte are read without an early exit, because a loop without one is several times
            // faster.
            var wrong: UInt8 = 0
            for index in 0..<count {
                let (high, low) = (values[Int(text[2 * index])], values[Int(text[2 * index + 1])])
                wrong |= high | low
                target[index] = high << 4 | low & 0x0F
            }
            isRight = wrong < 0x80
        }
        return isRight ? bytes : nil
    }

    /// The value of each byte as a digit; 0xFF for a byte that is not one.
    private static let values: [UInt8] = (0...255).map { value(of: UInt8($0)) ?? 0xFF }

    /// Encodes in lower case.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { target in
            bytes.withUnsafeBytes { source in
                guard let first = source.baseAddress, let place = target.baseAddress else { return }
                write(first, count: source.count, to: UnsafeMutableRawPointer(place))
            }
            return bytes.count * 2
        }
    }

    // MARK: In place

    /// Writes two digits in lower case for each of `count` bytes.
    @inlinable @inline(__always)
    public static func write(_ source: UnsafeRawPointer, count: Int, to target: UnsafeMutableRawPointer) {
        var offset = 0
        while offset + 8 <= count {
            let bytes = source.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt8>.self)
            target.storeBytes(of: digits(bytes, letters: 39), toByteOffset: offset * 2, as: SIMD8<UInt16>.self)
            offset += 8
        }
        while offset < count {
            let byte = SIMD8<UInt8>(repeating: source.load(fromByteOffset: offset, as: UInt8.self))
            target.storeBytes(of: digits(byte, letters: 39)[0], toByteOffset: offset * 2, as: UInt16.self)
            offset += 1
        }
    }

    /// Writes the eight digits of `value` in lower case, highest first.
    @inlinable @inline(__always)
    public static func write(_ value: UInt32, to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: digits(value).littleEndian, as: UInt64.self)
    }

    /// The eight digits of `value`, the highest in the lowest byte, which is first in memory.
    @inlinable @inline(__always)
    public static func digits(_ value: UInt32, inUpperCase: Bool = false) -> UInt64 {
        let bytes = unsafeBitCast(UInt64(value.byteSwapped).littleEndian, to: SIMD8<UInt8>.self)
        return UInt64(
            littleEndian: unsafeBitCast(digits(bytes, letters: inUpperCase ? 7 : 39).lowHalf, to: UInt64.self))
    }

    /// The two digits of each byte, in memory order: decimal digits at '0', and 10 to 15 `letters` further.
    @inlinable @inline(__always)
    static func digits(_ bytes: SIMD8<UInt8>, letters: UInt16) -> SIMD8<UInt16> {
        let wide = SIMD8<UInt16>(truncatingIfNeeded: bytes)
        // The high half comes first in memory.
        let halves = (wide &>> 4 | wide &<< 8) & SIMD8(repeating: 0x0F0F)
        let isLetter = ((halves &+ SIMD8(repeating: 0x0606)) &>> 4) & SIMD8(repeating: 0x0101)
        return halves &+ SIMD8(repeating: 0x3030) &+ isLetter &* SIMD8(repeating: letters)
    }
}
