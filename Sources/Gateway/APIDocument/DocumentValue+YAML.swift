import Yams

extension DocumentValue {
    /// Throws the parser's error for invalid YAML, and an error for an empty text.
    init(yaml: String) throws {
        guard let node = try compose(yaml: yaml) else { throw Empty() }
        self.init(node)
    }

    private struct Empty: Error {}

    private init(_ node: Node) {
        switch node {
        case .mapping(let mapping):
            self = .mapping(
                mapping.map { Member(name: $0.key.scalar?.string ?? "", value: DocumentValue($0.value)) })
        case .sequence(let sequence): self = .sequence(sequence.map { DocumentValue($0) })
        case .scalar(let scalar): self = DocumentValue(scalar)
        // The parser resolves anchors, so there is no alias left.
        case .alias: self = .null
        }
    }

    private init(_ scalar: Node.Scalar) {
        let text = scalar.string
        guard scalar.style == .plain else {
            self = .string(text)
            return
        }
        // Values that JSON writes without quotes. Others of YAML, for example `yes` and times, are strings here.
        switch text {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "null", "": self = .null
        default: self = DocumentValue.isNumber(text) ? .number(text) : .string(text)
        }
    }

    /// True for a number in the form of JSON (RFC 8259, section 6).
    private static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text)
        func digits() -> Int {
            let count = rest.prefix { $0.isASCII && $0.isNumber }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == "-" { rest.removeFirst() }
        let isZeroFirst = rest.first == "0"
        let count = digits()
        guard count == 1 || (count > 1 && !isZeroFirst) else { return false }
        if rest.first == "." {
            rest.removeFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == "e" || rest.first == "E" {
            rest.removeFirst()
            if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
