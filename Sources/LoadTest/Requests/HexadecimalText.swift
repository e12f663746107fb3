import LiveActivity

/// Hexadecimal digits, put straight into a request.
enum HexadecimalText {
    private static let lower: StaticString = "0123456789abcdef"
    private static let upper: StaticString = "0123456789ABCDEF"

    /// Sixteen digits in lower case.
    static func put(_ word: UInt64, at offset: Int, in target: UnsafeMutableRawBufferPointer) {
        put(word, 0..<16, lower, at: offset, in: target)
    }

    /// The thirty-six characters of an identifier, in upper case.
    static func put(_ id: UniqueID, at offset: Int, in target: UnsafeMutableRawBufferPointer) {
        put(id.high, 0..<8, upper, at: offset, in: target)
        put(id.high, 8..<12, upper, at: offset + 9, in: target)
        put(id.high, 12..<16, upper, at: offset + 14, in: target)
        put(id.low, 0..<4, upper, at: offset + 19, in: target)
        put(id.low, 4..<16, upper, at: offset + 24, in: target)
    }

    /// Some of the sixteen digits of a word, counted from the left.
    private static func put(
        _ word: UInt64, _ range: Range<Int>, _ digits: StaticString, at offset: Int,
        in target: UnsafeMutableRawBufferPointer
    ) {
        var position = offset
        for index in range {
            target[position] = digits.utf8Start[Int(truncatingIfNeeded: word >> UInt64(60 - 4 * index) & 15)]
            position += 1
        }
    }
}
