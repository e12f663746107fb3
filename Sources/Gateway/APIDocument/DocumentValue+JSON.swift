extension DocumentValue {
    /// - Parameter indent: The indentation of each level, for several lines; nil for one line.
    func json(indent: String? = nil) -> String {
        var text = ""
        write(to: &text, indent, depth: 0)
        return text
    }

    /// The length in bytes up to which an inner value stays on one line.
    private static let shortest = 64

    private func write(to text: inout String, _ indent: String?, depth: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let spelling): text += spelling
        case .string(let value): DocumentValue.write(value, to: &text)
        case .sequence(let elements):
            writeParts(elements, "[", "]", to: &text, indent, depth) { element, text, indent in
                element.write(to: &text, indent, depth: depth + 1)
            }
        case .mapping(let members):
            writeParts(members, "{", "}", to: &text, indent, depth) { member, text, indent in
                DocumentValue.write(member.name, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent, depth: depth + 1)
            }
        }
    }

    private func writeParts<Part>(
        _ parts: [Part], _ begin: String, _ end: String, to text: inout String, _ indent: String?, _ depth: Int,
        _ write: (Part, inout String, String?) -> Void
    ) {
        let isOnOneLine = indent == nil || parts.isEmpty || (depth > 0 && json().utf8.count <= DocumentValue.shortest)
        let line = isOnOneLine ? "" : "\n" + String(repeating: indent ?? "", count: depth + 1)
        text += begin
        for (index, part) in parts.enumerated() {
            if index > 0 { text += isOnOneLine && indent != nil ? ", " : "," }
            text += line
            write(part, &text, indent)
        }
        if !isOnOneLine { text += "\n" + String(repeating: indent ?? "", count: depth) }
        text += end
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
