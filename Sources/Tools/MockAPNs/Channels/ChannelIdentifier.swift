import Encodings

/// The names that channels have.
enum ChannelIdentifier {
    /// Base64 of sixteen random bytes.
    static func make(_ random: inout some RandomNumberGenerator) -> String {
        Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Whether a text may be one: Base64 with its padding, at most 64 characters.
    static func isWellFormed(_ text: String) -> Bool {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.count.isMultiple(of: 4), padding <= 2 else {
            return false
        }
        return text.utf8.dropLast(padding).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}
