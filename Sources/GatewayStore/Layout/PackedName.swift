import LiveActivity

/// A name that is a UUID more often than not, such as a udid, in as few bytes as it takes: a UUID, in capitals or in
/// small letters throughout, is a mark and sixteen bytes; every other text stands as it is. The marks are bytes that
/// UTF-8 does not have, so the two cannot be mixed up.
enum PackedName {
    private static let capitals: UInt8 = 254
    private static let smallLetters: UInt8 = 255

    static func append(_ name: String, to bytes: inout [UInt8]) {
        guard let (mark, id) = pack(name) else {
            bytes += name.utf8
            return
        }
        bytes.append(mark)
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        guard let mark = bytes.first, mark >= capitals, let id = UniqueID(bytes: bytes.dropFirst()) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let firstLetter = UInt8(ascii: mark == capitals ? "A" : "a")
        return String(unsafeUninitializedCapacity: 36) { text in
            var digit = UInt64(0)
            for position in 0..<36 {
                if isHyphen(position) {
                    text[position] = UInt8(ascii: "-")
                } else {
                    let word = digit < 16 ? id.high : id.low
                    let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * (digit & 15))) & 15
                    text[position] = value < 10 ? UInt8(ascii: "0") + value : firstLetter + value - 10
                    digit += 1
                }
            }
            return 36
        }
    }

    private static func isHyphen(_ position: Int) -> Bool {
        position == 8 || position == 13 || position == 18 || position == 23
    }

    /// A UUID whose letters are all spelled one way, and that way's mark; nil for any other text.
    private static func pack(_ name: String) -> (mark: UInt8, id: UniqueID)? {
        guard name.utf8.count == 36 else { return nil }
        var name = name
        return name.withUTF8 { text in
            var words: (high: UInt64, low: UInt64) = (0, 0)
            var digits = 0
            var marks: (capitals: Bool, smallLetters: Bool) = (false, false)
            for position in 0..<36 {
                let byte = text[position]
                if isHyphen(position) {
                    guard byte == UInt8(ascii: "-") else { return nil }
                    continue
                }
                let value: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
                case UInt8(ascii: "A")...UInt8(ascii: "F"):
                    value = byte - UInt8(ascii: "A") + 10
                    marks.capitals = true
                case UInt8(ascii: "a")...UInt8(ascii: "f"):
                    value = byte - UInt8(ascii: "a") + 10
                    marks.smallLetters = true
                default: return nil
                }
                if digits < 16 {
                    words.high = words.high << 4 | UInt64(value)
                } else {
                    words.low = words.low << 4 | UInt64(value)
                }
                digits += 1
            }
            // With both, no mark could bring the spelling back.
            guard !(marks.capitals && marks.smallLetters) else { return nil }
            return (marks.capitals ? capitals : smallLetters, UniqueID(high: words.high, low: words.low))
        }
    }
}
