import LiveActivity

/// A path with parameters in braces. Slashes without a name between them count as one.
struct PathTemplate: Hashable, Sendable {
    private enum Part: Hashable {
        case name(String)
        case parameter(String)

        /// True if the parameter is an id. A path with another word in its place is unknown.
        var wantsID: Bool {
            // An insider_id is a name that the customer chooses.
            if case .parameter(let name) = self { name.hasSuffix("_id") && name != "insider_id" } else { false }
        }
    }

    private let parts: [Part]

    init(_ text: String) {
        parts = text.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .name(String(part))
        }
    }

    /// Returns the parameters' values, still escaped; nil for another path.
    func parameters(in path: [Substring]) -> [String: Substring]? {
        guard path.count == parts.count else { return nil }
        var values: [String: Substring] = [:]
        for (part, given) in zip(parts, path) {
            switch part {
            case .name(let name): guard given == name else { return nil }
            case .parameter(let name): values[name] = given
            }
        }
        return values
    }

    /// True if every id is valid.
    func hasIDs(in path: [Substring]) -> Bool {
        zip(parts, path).allSatisfy { part, given in !part.wantsID || UniqueID(given) != nil }
    }

    /// True if this template has precedence for a path that matches both: names before parameters, from left to right.
    /// Orders all templates, shorter ones first.
    func precedes(_ other: PathTemplate) -> Bool {
        guard parts.count == other.parts.count else { return parts.count < other.parts.count }
        for (mine, others) in zip(parts, other.parts) {
            switch (mine, others) {
            case (.name, .parameter): return true
            case (.parameter, .name): return false
            default: continue
            }
        }
        return false
    }
}
