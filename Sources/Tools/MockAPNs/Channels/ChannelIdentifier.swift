import Encodings

/// Creates and checks identifiers of channels.
enum ChannelIdentifier {
    /// Returns sixteen random bytes in Base64.
    static func make(_ random: inout some RandomNumberGenerator) -> String {
        Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// True for at most 64 characters of Base64 with padding.
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
