import RedisClient

/// A parsed Lua file: a head of comment lines, and the code.
///
///     -- put-start-cell (writes)
///     --
///     -- What it is for.
///     --
///     -- KEYS
///     --   start_page
///     --   note?: may be left out
///     -- ARGV
///     --   index
///     --   expires_at: epoch ms
///     --   fields...(2): any number of pairs
///     -- Reply: 1
///     -- Includes: cells
///
/// A head may have several `Includes` lines.
///
/// The code uses keys and arguments by these names. A tail (`fields...`, in groups of a fixed size) is used by the
/// index of its first value: `ARGV[fields_at]`.
struct ScriptFile {
    enum Kind: String {
        /// Does not write any keys.
        case reads
        case writes
        /// Functions that scripts include.
        case part
    }

    /// A key or argument.
    struct Parameter {
        let name: String
        let isOptional: Bool
        /// The size of a tail's groups; nil for a single value.
        let group: Int?
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    let kind: Kind
    let keys: [Parameter]
    let arguments: [Parameter]
    let includes: [String]
    let code: Substring

    init(_ text: Substring) throws(Malformed) {
        var head: [Substring] = []
        var rest = text
        while rest.hasPrefix("--") {
            let line = rest.prefix { $0 != "\n" }
            head.append(line.dropFirst(2))
            rest = rest[line.endIndex...].dropFirst()
        }
        let title = head.first?.split(separator: " ") ?? []
        guard title.count == 2, let kind = Kind(rawValue: String(title[1].dropFirst().dropLast())) else {
            throw Malformed(description: "a Lua file begins with '\(head.first ?? "")'")
        }
        name = String(title[0])
        self.kind = kind
        keys = try ScriptFile.parameters(under: " KEYS", head, name)
        arguments = try ScriptFile.parameters(under: " ARGV", head, name)
        includes = head.filter { $0.hasPrefix(" Includes: ") }.flatMap { line in
            line.dropFirst(" Includes: ".count).split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        code = rest
    }

    /// Parses the parameters in order. Lines with deeper indentation continue a description.
    private static func parameters(
        under heading: String, _ head: [Substring], _ script: String
    ) throws(Malformed) -> [Parameter] {
        guard let start = head.firstIndex(where: { $0 == heading }) else { return [] }
        var parameters: [Parameter] = []
        for line in head[(start + 1)...].prefix(while: { $0.hasPrefix("   ") }) where !line.hasPrefix("    ") {
            guard let parameter = Parameter(line.dropFirst(3).prefix { $0 != ":" }) else {
                throw Malformed(description: "\(script) has a parameter '\(line)'")
            }
            if let last = parameters.last, last.group != nil || last.isOptional && !parameter.isOptional {
                throw Malformed(description: "\(script) has '\(parameter.name)' behind '\(last.name)'")
            }
            parameters.append(parameter)
        }
        return parameters
    }
}

extension ScriptFile.Parameter {
    /// - Parameter text: A name in the head's notation: `name`, `name?`, `name...` or `name...(2)`.
    fileprivate init?(_ text: Substring) {
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let mark = text[name.endIndex...]
        guard !name.isEmpty else { return nil }
        self.name = String(name)
        isOptional = mark == "?"
        if mark.hasPrefix("...") {
            let size = mark.dropFirst(3)
            guard let group = size.isEmpty ? 1 : Int(size.dropFirst().dropLast()), group > 0 else { return nil }
            self.group = group
        } else {
            guard mark.isEmpty || isOptional else { return nil }
            group = nil
        }
    }
}

extension RedisScriptArity.Count {
    init(_ parameters: [ScriptFile.Parameter]) {
        self.init(
            required: parameters.count { !$0.isOptional && $0.group == nil },
            optional: parameters.count { $0.isOptional }, group: parameters.last?.group)
    }
}
