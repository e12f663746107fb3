/// Base64 and base64url (RFC 4648, sections 4 and 5).
public enum Base64 {
    private static let lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standard = Array("\(lettersAndDigits)+/".utf8)
    private static let urlSafe = Array("\(lettersAndDigits)-_".utf8)

    /// With padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text = digits(bytes, standard)
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// With the characters that URLs and file names allow, and without padding (as RFC 7515, section 2, wants it).
    public static func urlEncode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: digits(bytes, urlSafe), as: UTF8.self)
    }

    /// Decodes a text with padding. Returns nil if it is not Base64.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (buffer, bits) = (UInt32(0), UInt32(0))
        for character in text.dropLast(padding) {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        }
        return buffer & (1 << bits - 1) == 0 && bits < 6 ? bytes : nil
    }

    /// The value of each character; 64 for a character outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in standard.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    private static func digits(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        return text
    }
}
