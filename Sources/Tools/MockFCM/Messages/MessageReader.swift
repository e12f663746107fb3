import LiveActivity

/// Validates a send request against the schema. Violations carry the member's path.
struct MessageReader {
    typealias Violation = ErrorDetails.FieldViolation

    /// The longest `ttl` in nanoseconds: four weeks.
    private static let maximumLifetime = 2_419_200_000_000_000

    /// Returns the members of an object by their names in snake case, without null members.
    static func members(
        _ value: JSONValue, at path: String, _ schema: [String: MessageSchema.Kind]
    ) throws(Violation) -> [String: JSONValue] {
        guard value.kind == .object else { throw shape(path, "must be an object") }
        var members: [String: JSONValue] = [:]
        for name in value.memberNames {
            let spelling = MessageSchema.spelling(name)
            guard let kind = schema[spelling] else {
                throw shape(path, "unknown name \"\(name)\" at '\(path)': there is no such field")
            }
            guard members[spelling] == nil, let member = try? value.member(name) else {
                throw shape(path, "\"\(name)\" at '\(path)' appears twice")
            }
            if member.kind == .null { continue }
            try check(member, at: path.isEmpty ? spelling : "\(path).\(spelling)", kind)
            members[spelling] = member
        }
        return members
    }

    private static func check(_ value: JSONValue, at path: String, _ kind: MessageSchema.Kind) throws(Violation) {
        switch kind {
        case .string: try require(value.kind == .string, path, "must be a string")
        case .bool: try require(value.bool != nil, path, "must be true or false")
        case .number: try require(value.int64 != nil, path, "must be a whole number")
        case .duration: try checkDuration(value, path)
        case .priority:
            let words: Set = ["NORMAL", "HIGH", "normal", "high"]
            try require(value.string.map(words.contains) ?? false, path, "must be NORMAL or HIGH")
        case .strings:
            try require(
                value.kind == .array && value.elements.allSatisfy { $0.kind == .string }, path, "must be strings")
        case .texts: try checkTexts(value, path)
        case .object(let schema): _ = try members(value, at: path, schema)
        case .anyObject: try require(value.kind == .object, path, "must be an object")
        case .anyArray: try require(value.kind == .array, path, "must be an array")
        }
    }

    private static func checkTexts(_ value: JSONValue, _ path: String) throws(Violation) {
        try require(value.kind == .object, path, "must be an object")
        for name in value.memberNames {
            guard let member = try? value.member(name) else { throw shape(path, "\"\(name)\" appears twice") }
            try require(member.kind == .string, path, "\"\(name)\" must be a string")
        }
    }

    /// Checks for seconds with at most nine decimals and a final `s` (`google.protobuf.Duration` in JSON).
    private static func checkDuration(_ value: JSONValue, _ path: String) throws(Violation) {
        let form = "must be seconds with an s behind, such as \"3.5s\""
        guard let text = value.string, let seconds = nanoseconds(text) else { throw shape(path, form) }
        guard seconds <= maximumLifetime else {
            throw Violation(field: path, description: "must be at most four weeks")
        }
    }

    static func nanoseconds(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /([0-9]{1,9})(?:\.([0-9]{1,9}))?s/), let whole = Int(match.1) else {
            return nil
        }
        let decimals = match.2.map(String.init) ?? ""
        let fraction = Int(decimals + String(repeating: "0", count: 9 - decimals.count)) ?? 0
        return whole * 1_000_000_000 + fraction
    }

    private static func require(_ holds: Bool, _ path: String, _ text: String) throws(Violation) {
        if !holds { throw shape(path, text) }
    }

    /// Creates a violation that the JSON parser of Google's APIs reports.
    private static func shape(_ path: String, _ text: String) -> Violation {
        Violation(field: path, description: text, isOfFCM: false)
    }
}
