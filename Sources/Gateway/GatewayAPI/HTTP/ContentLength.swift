/// How long a body is said to be (RFC 9110, section 8.6).
enum ContentLength {
    /// Nil for what is no number of bytes. A number that is too large for an `Int` is the largest one, and so too much
    /// for anybody.
    static func bytes(_ field: String) -> Int? {
        guard !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(field) ?? .max
    }
}
