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
