import LiveActivity

/// The body of a reply as it is kept for repetitions. A short body is kept unchanged, a longer one as gzip. If gzip is
/// too long, the body loses its lists.
enum KeptReply {
    /// Longer ones are compressed.
    static let shortest = 16_384
    /// Longer ones are kept without their lists.
    static let longest = 65_536

    /// - Parameter isBrief: True if a body of more than `shortest` bytes loses its lists.
    static func pack(_ body: [UInt8], isBrief: Bool) -> [UInt8] {
        guard body.count > shortest else { return body }
        let whole = isBrief ? nil : compressed(body)
        if let whole, whole.count <= longest { return whole }
        let brief = withoutLists(body)
        return brief.count <= shortest ? brief : compressed(brief)
    }

    /// The body that was packed so. Nil when it is damaged.
    static func unpack(_ kept: [UInt8]) -> [UInt8]? {
        // No JSON begins like this.
        guard kept.starts(with: [0x1F, 0x8B]) else { return kept }
        return kept.withUnsafeBytes { Gzip.decompress($0) }
    }

    private static func compressed(_ body: [UInt8]) -> [UInt8] {
        body.withUnsafeBytes { Gzip.compress($0) } ?? body
    }

    /// A JSON object whose members have empty arrays in place of arrays.
    private static func withoutLists(_ body: [UInt8]) -> [UInt8] {
        guard let root = try? JSONDocument(parsing: body).root,
            let members = try? root.members(root.memberNames)
        else { return body }
        var brief: [UInt8] = []
        var end = 0
        for list in members.compactMap({ $0 }) where list.kind == .array {
            brief += body[end..<list.byteRange.lowerBound] + Array("[]".utf8)
            end = list.byteRange.upperBound
        }
        return brief + body[end...]
    }
}
