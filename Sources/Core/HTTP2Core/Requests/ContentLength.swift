/// The decimal digits of `content-length` (RFC 9110, section 8.6).
enum ContentLength {
    static let name = Array("content-length".utf8)

    /// The number of digits of a length, which is not negative.
    @inline(__always)
    static func digits(_ length: Int) -> Int {
        var count = 1
        var rest = length / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }

    /// Writes a length that has `digits` digits to `target`.
    @inline(__always)
    static func write(_ length: Int, digits: Int, to target: UnsafeMutableRawPointer) {
        var rest = length
        for offset in stride(from: digits - 1, through: 0, by: -1) {
            target.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
    }
}
