import Encodings

/// A number in the fewest bytes: seven bits in each, the low ones first. The high bit is set in all bytes but the last.
enum Varint {
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    static func encode(_ number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        append(number, to: &bytes)
        return bytes
    }

    /// Decodes a number from bytes that `next` returns one by one. Returns nil if they end too early, or if the number
    /// is longer than necessary, because each number has one spelling.
    static func decode(_ next: () -> UInt8?) -> UInt32? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 28, by: 7) {
            guard let byte = next() else { return nil }
            number |= UInt64(byte & 127) << shift
            guard byte < 128 else { continue }
            return byte == 0 && shift > 0 ? nil : UInt32(exactly: number)
        }
        return nil
    }
}

extension ByteReader {
    /// See `Varint.decode`.
    mutating func varint() -> UInt32? { Varint.decode { byte() } }
}
