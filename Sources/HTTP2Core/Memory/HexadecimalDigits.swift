/// Bytes as lower-case hex digits, eight bytes at a time.
enum HexadecimalDigits {
    /// Writes two digits for each of `count` bytes.
    @inline(__always)
    static func write(_ source: UnsafeRawPointer, count: Int, to target: UnsafeMutableRawPointer) {
        var offset = 0
        while offset + 4 <= count {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            target.storeBytes(of: digits(word), toByteOffset: offset * 2, as: UInt64.self)
            offset += 4
        }
        while offset < count {
            let byte = source.load(fromByteOffset: offset, as: UInt8.self)
            let pair = digits(UInt32(byte))
            target.storeBytes(of: UInt16(truncatingIfNeeded: pair), toByteOffset: offset * 2, as: UInt16.self)
            offset += 1
        }
    }

    /// Writes the eight digits of `value`, highest first.
    @inline(__always)
    static func write(_ value: UInt32, to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: digits(value.bigEndian), as: UInt64.self)
    }

    /// The digits of the four bytes of a word in the order of memory, as the eight bytes of a word.
    @inline(__always)
    private static func digits(_ word: UInt32) -> UInt64 {
        // One byte to two: spread, split into high and low half, high half first.
        var spread = UInt64(UInt32(littleEndian: word))
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        let nibbles = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
        // 0 to 9 lie at '0'; 10 to 15 are 39 further, at 'a'.
        let isLetter = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ isLetter &* 39).littleEndian
    }
}
