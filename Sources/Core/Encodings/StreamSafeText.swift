/// Text in the Stream-Safe Text Format of Unicode (Standard Annex #15, section 13): in no place there are more than
/// thirty combining marks in a row.
///
/// Unicode has marks in an order of their own, and Swift compares, hashes and splits strings by it. So a row of
/// thousands of marks, which no language has, costs seconds for each comparison. Who takes text from outside holds it
/// against this first.
public enum StreamSafeText {
    /// The most marks in a row.
    public static let longestRow = 30

    /// Whether a text is of that format. In time by its length.
    public static func holds(_ text: String) -> Bool {
        var text = text
        if text.withUTF8({ isASCII(UnsafeRawBufferPointer($0)) }) { return true }
        var row = 0
        for scalar in text.unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            guard row <= longestRow else { return false }
        }
        return true
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { return false }
            position += 8
        }
        return bytes[position...].allSatisfy { $0 < 0x80 }
    }

    /// The beginning of a text of at most so many bytes, as it may be shown: with `…` behind it where it is cut, and
    /// not more than that of a text that is not of the format.
    public static func beginning(of text: String, bytes: Int) -> String {
        guard holds(text) else { return "…" }
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return "\(text[..<end])…"
    }
}
