/// The announced length of a body (RFC 9110, section 8.6).
enum ContentLength {
    /// Parses a number of bytes; nil for other text. A number too large for an `Int` becomes the largest one, which
    /// exceeds every limit.
    static func bytes(_ field: String) -> Int? {
        guard !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(field) ?? .max
    }
}
