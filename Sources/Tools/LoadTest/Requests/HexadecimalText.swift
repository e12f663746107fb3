import Encodings
import LiveActivity

/// Writes hexadecimal digits directly into a request.
enum HexadecimalText {
    /// Writes sixteen digits in lower case.
    static func put(_ word: UInt64, at offset: Int, in target: UnsafeMutableRawBufferPointer) {
        for (index, half) in [word >> 32, word].enumerated() {
            let digits = Hexadecimal.digits(UInt32(truncatingIfNeeded: half))
            target.storeBytes(of: digits.littleEndian, toByteOffset: offset + index * 8, as: UInt64.self)
        }
    }

    /// Writes the 36 characters of an identifier in upper case.
    static func put(_ id: UniqueID, at offset: Int, in target: UnsafeMutableRawBufferPointer) {
        id.write(to: UnsafeMutableRawBufferPointer(rebasing: target[offset...]), inCapitals: true)
    }
}
