/// Finds what somebody meant who wrote something else. Pure functions, in time by the names' lengths.
public enum NearestName {
    /// The candidate that is nearest to `name`, if one is near: differences of case, `-` and `_` count for nothing,
    /// and one letter in four (two at least) may be wrong. A bare last component (`port`) finds its only full path.
    public static func find(_ name: String, in candidates: [String]) -> String? {
        let wanted = letters(name)
        guard (1...100).contains(wanted.count) else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(wanted, letters(candidate))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        if let best, best.distance <= max(2, wanted.count / 4) { return best.name }
        let ends = candidates.filter { letters(String($0.split(separator: ".").last ?? "")) == wanted }
        return ends.count == 1 ? ends.first : nil
    }

    private static func letters(_ name: String) -> [Character] {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    /// Insertions, removals and replacements from one to the other (Levenshtein).
    static func distance(_ first: [Character], _ second: [Character]) -> Int {
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
