/// Generates identifiers for answers to pushes without one.
enum RandomIdentifier {
    /// In bytes.
    static let length = 36

    /// Returns a random UUID as text.
    static func text(_ random: inout some RandomNumberGenerator) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { bytes in
            guard let base = bytes.baseAddress else { return "" }
            write(to: base, &random)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Writes a random UUID (RFC 9562, version 4).
    static func write(to target: UnsafeMutablePointer<UInt8>, _ random: inout some RandomNumberGenerator) {
        let digits: StaticString = "0123456789abcdef"
        var high = random.next() & ~0xF000 | 0x4000
        var low = random.next() & ~(3 << 62) | 2 << 62
        for index in 0..<length {
            switch index {
            case 8, 13, 18, 23:
                target[index] = UInt8(ascii: "-")
            default:
                target[index] = digits.utf8Start[Int((index < 18 ? high : low) >> 60)]
                if index < 18 { high <<= 4 } else { low <<= 4 }
            }
        }
    }
}
