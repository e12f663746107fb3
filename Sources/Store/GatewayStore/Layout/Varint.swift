import Encodings

/// A number in as few bytes as it takes: seven bits in each, the low ones first, and the high bit set in all but the
/// last one.
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

    /// Takes a number from bytes that `next` gives one after another. Nil when they end too early, and for a number
    /// that is spelled longer than it has to be: each has one spelling.
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
