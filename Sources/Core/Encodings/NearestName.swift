/// Suggests the candidate nearest to a misspelled name. The run time is bounded, because names of more than 100 letters
/// have no match.
public enum NearestName {
    /// Returns the candidate nearest to `name`, or nil if none is near. Case, `-` and `_` are ignored, and a quarter of
    /// the letters (at least two) may be wrong. A bare last component (`port`) matches its only full path.
    public static func find(_ name: String, in candidates: [String]) -> String? {
        let wanted = letters(name)
        guard (1...longest).contains(wanted.count) else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(wanted, letters(candidate))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        if let best, best.distance <= max(2, wanted.count / 4) { return best.name }
        let ends = candidates.filter { letters(String($0.split(separator: ".").last ?? "")) == wanted }
        return ends.count == 1 ? ends.first : nil
    }

    /// The maximum number of letters of a name that has a match.
    private static let longest = 100

    /// Returns bytes, because a `Character` can have any length.
    private static func letters(_ name: String) -> [UInt8] {
        name.utf8.prefix(2 * longest).compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }

    /// The Levenshtein distance: the number of insertions, removals and replacements.
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (line, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (character == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, min(row[column], diagonal) + 1)
            }
        }
        return row[second.count]
    }
}
