/// The Stream-Safe Text Format of Unicode (Standard Annex #15, section 13): at most thirty combining marks in a row.
///
/// Swift orders combining marks canonically when it compares, hashes and splits strings. A row of thousands of marks
/// costs seconds for each comparison. Check text from outside with `holds` first.
public enum StreamSafeText {
    /// The maximum number of marks in a row.
    public static let longestRow = 30

    /// True if a text is in the format. Takes linear time.
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

    /// Returns the beginning of a text for display, of at most `bytes` bytes. A truncated text ends with `…`, and a
    /// text outside the format becomes `…` alone.
    public static func beginning(of text: String, bytes: Int) -> String {
        guard holds(text) else { return "…" }
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return "\(text[..<end])…"
    }
}
