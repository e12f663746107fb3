/// Bytes as lower-case hex digits, eight bytes at a time.
enum HexadecimalDigits {
    /// Writes two digits for each of `count` bytes.
    @inline(__always)
    static func write(_ source: UnsafeRawPointer, count: Int, to target: UnsafeMutableRawPointer) {
        var offset = 0
        while offset + 8 <= count {
            let bytes = source.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt8>.self)
            target.storeBytes(of: digits(bytes), toByteOffset: offset * 2, as: SIMD8<UInt16>.self)
            offset += 8
        }
        while offset < count {
            let byte = SIMD8<UInt8>(repeating: source.load(fromByteOffset: offset, as: UInt8.self))
            target.storeBytes(of: digits(byte)[0], toByteOffset: offset * 2, as: UInt16.self)
            offset += 1
        }
    }

    /// Writes the eight digits of `value`, highest first.
    @inline(__always)
    static func write(_ value: UInt32, to target: UnsafeMutableRawPointer) {
        let bytes = unsafeBitCast(UInt64(value.bigEndian.littleEndian), to: SIMD8<UInt8>.self)
        let digits = unsafeBitCast(digits(bytes).lowHalf, to: UInt64.self)
        target.storeBytes(of: digits, as: UInt64.self)
    }

    /// The two digits of each byte, in the order of memory.
    @inline(__always)
    private static func digits(_ bytes: SIMD8<UInt8>) -> SIMD8<UInt16> {
        let wide = SIMD8<UInt16>(truncatingIfNeeded: bytes)
        // The high half comes first in memory.
        let halves = (wide &>> 4 | wide &<< 8) & SIMD8(repeating: 0x0F0F)
        // 0 to 9 lie at '0'; 10 to 15 are 39 further, at 'a'.
        let isLetter = ((halves &+ SIMD8(repeating: 0x0606)) &>> 4) & SIMD8(repeating: 0x0101)
        return halves &+ SIMD8(repeating: 0x3030) &+ isLetter &* SIMD8(repeating: 39)
    }
}
