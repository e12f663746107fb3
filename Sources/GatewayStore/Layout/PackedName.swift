import LiveActivity

/// A name that is a UUID more often than not, such as a udid, in as few bytes as it takes: a UUID, in capitals or in
/// small letters throughout, is a mark and sixteen bytes; every other text stands as it is. The marks are bytes that
/// UTF-8 does not have, so the two cannot be mixed up.
enum PackedName {
    private static let capitals: UInt8 = 254
    private static let smallLetters: UInt8 = 255

    static func append(_ name: String, to bytes: inout [UInt8]) {
        guard let id = UniqueID(name), let mark = mark(name) else {
            bytes += name.utf8
            return
        }
        bytes.append(mark)
        for word in [id.high, id.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
    }

    static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        guard let mark = bytes.first, mark >= capitals, let text = UniqueID(bytes: bytes.dropFirst())?.description
        else { return String(decoding: bytes, as: UTF8.self) }
        return mark == capitals ? text.uppercased() : text
    }

    /// How a UUID's letters are spelled; nil when both ways, so that no mark could bring them back.
    private static func mark(_ name: String) -> UInt8? {
        var hasCapitals = false
        var hasSmallLetters = false
        for byte in name.utf8 where byte >= UInt8(ascii: "A") {
            if byte >= UInt8(ascii: "a") { hasSmallLetters = true } else { hasCapitals = true }
        }
        guard hasCapitals else { return smallLetters }
        return hasSmallLetters ? nil : capitals
    }
}
