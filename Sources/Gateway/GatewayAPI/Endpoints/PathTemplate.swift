import LiveActivity

/// A path with parameters in braces. Slashes without a name between them count as one.
struct PathTemplate: Hashable, Sendable {
    private enum Part: Hashable {
        case name(String)
        case parameter(String)

        /// A word where an id belongs makes another path, rather than one with other methods.
        var wantsID: Bool {
            // An insider_id is a name that the customer has chosen.
            if case .parameter(let name) = self { name.hasSuffix("_id") && name != "insider_id" } else { false }
        }
    }

    private let parts: [Part]

    init(_ text: String) {
        parts = text.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .name(String(part))
        }
    }

    /// The values of the parameters as they stand in the path; nil when it is another path.
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

    /// Whether every id is one.
    func hasIDs(in path: [Substring]) -> Bool {
        zip(parts, path).allSatisfy { part, given in !part.wantsID || UniqueID(given) != nil }
    }

    /// Whether a path that fits both is this one's: names go before parameters, from left to right. An order of all
    /// templates, in which short ones come first.
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
