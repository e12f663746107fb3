/// A builder of HTML. Text of the document enters through `text` or an attribute, which both escape it.
struct HTML {
    private(set) var source = ""

    mutating func text(_ text: String) {
        HTML.escape(text, to: &source)
    }

    /// Writes an element with the content of the closure.
    mutating func element(
        _ name: StaticString, _ attributes: [Attribute] = [], _ content: (inout HTML) -> Void = { _ in }
    ) {
        open(name, attributes)
        content(&self)
        source += "</\(name)>"
    }

    /// Writes an element with a text.
    mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// Writes an element without an end tag, for example `meta`.
    mutating func open(_ name: StaticString, _ attributes: [Attribute] = []) {
        source += "<\(name)"
        for attribute in attributes {
            source += " \(attribute.name)"
            guard let value = attribute.value else { continue }
            source += "=\""
            HTML.escape(value, to: &source)
            source += "\""
        }
        source += ">"
    }

    /// Writes the program's own text unescaped, for example its style sheet. Never pass text of the document.
    mutating func verbatim(_ own: String) {
        source += own
    }

    struct Attribute {
        let name: StaticString
        let value: String?

        static func `class`(_ value: String) -> Attribute { Attribute(name: "class", value: value) }
        static func id(_ value: String) -> Attribute { Attribute(name: "id", value: value) }
        static func link(_ value: String) -> Attribute { Attribute(name: "href", value: value) }
        static func flag(_ name: StaticString) -> Attribute { Attribute(name: name, value: nil) }
        static func named(_ name: StaticString, _ value: String) -> Attribute { Attribute(name: name, value: value) }
    }

    private static func escape(_ text: String, to source: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": source += "&amp;"
            case "<": source += "&lt;"
            case ">": source += "&gt;"
            case "\"": source += "&quot;"
            case "'": source += "&#39;"
            // HTML allows no control characters except tab and line feed.
            case "\u{0}"..<"\u{9}", "\u{B}"..<"\u{20}", "\u{7F}": source += "\u{FFFD}"
            default: source.unicodeScalars.append(scalar)
            }
        }
    }
}
