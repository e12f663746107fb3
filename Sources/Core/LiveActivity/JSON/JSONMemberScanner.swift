/// Walks a text as `JSONScanner` does, and records only the outermost value and some of its members. The kinds of open
/// containers are bits of a word, so the memory needed does not grow with the text.
struct JSONMemberScanner {
    private(set) var nodes: [JSONNode] = []
    private var scanner: JSONScanner
    private let names: [String]
    /// The number of open containers.
    private var depth = 0
    /// A bit for each open container, the innermost one lowest: 1 for an object.
    private var objects: UInt64 = 0
    /// True until the innermost container has a first value.
    private var isEmpty = false
    /// True while the value of a recorded member is awaited or open.
    private var isKept = false
    /// The offset of the value that is scanned.
    private var start = 0

    /// - Parameter names: The names of the members that are recorded.
    init(names: [String]) {
        self.names = names
        scanner = JSONScanner(length: 0, maximumDepth: 0)
        nodes.reserveCapacity(1 + 2 * names.count)
    }

    mutating func scan(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        scanner.skipByteOrderMark(text)
        scanner.skipWhiteSpace(text)
        guard scanner.position < text.count else { throw scanner.failure(.empty) }
        repeat {
            try scanValue(text)
        } while try advanceToNextValue(text)
        scanner.skipWhiteSpace(text)
        guard scanner.position == text.count else { throw scanner.failure(.trailingBytes) }
    }

    /// Scans a scalar whole, and the opening of a container.
    private mutating func scanValue(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        if depth <= 1 { start = scanner.position }
        switch try scanner.byte(text) {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): keep(.string, hasEscapes: try scanner.skipString(text))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanner.skipNumber(text)
            keep(.number)
        case UInt8(ascii: "t"):
            try scanner.skipLiteral(text, "true")
            keep(.true)
        case UInt8(ascii: "f"):
            try scanner.skipLiteral(text, "false")
            keep(.false)
        case UInt8(ascii: "n"):
            try scanner.skipLiteral(text, "null")
            keep(.null)
        default: throw scanner.failure(.expectedValue)
        }
    }

    /// Skips the text between two values. Returns false when the outermost value has ended.
    private mutating func advanceToNextValue(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        while depth > 0 {
            scanner.skipWhiteSpace(text)
            let next = try scanner.byte(text)
            let isObject = objects & 1 == 1
            if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                close(isObject ? .object : .array)
                continue
            }
            if !isEmpty {
                guard next == UInt8(ascii: ",") else {
                    throw scanner.failure(isObject ? .expectedCommaOrClosingBrace : .expectedCommaOrClosingBracket)
                }
                scanner.position += 1
                scanner.skipWhiteSpace(text)
            }
            if depth == 1 { nodes[0].countChild() }
            if isObject { try scanMemberName(text) }
            return true
        }
        return false
    }

    private mutating func scanMemberName(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        guard try scanner.byte(text) == UInt8(ascii: "\"") else { throw scanner.failure(.expectedMemberName) }
        let name = scanner.position
        let hasEscapes = try scanner.skipString(text)
        if depth == 1 {
            isKept = isNamed(text, name + 1..<scanner.position - 1, hasEscapes)
            if isKept { append(.string, from: name, hasEscapes: hasEscapes) }
        }
        scanner.skipWhiteSpace(text)
        guard try scanner.byte(text) == UInt8(ascii: ":") else { throw scanner.failure(.expectedColon) }
        scanner.position += 1
        scanner.skipWhiteSpace(text)
    }

    /// True if a name in the text is that of a recorded member.
    private func isNamed(_ text: Span<UInt8>, _ range: Range<Int>, _ hasEscapes: Bool) -> Bool {
        guard !hasEscapes else {
            var bytes: [UInt8] = []
            for index in range { bytes.append(text[index]) }
            let name = JSONText.unescaped(bytes[...])
            return names.contains { $0.utf8.elementsEqual(name) }
        }
        return names.contains { name in
            guard name.utf8.count == range.count else { return false }
            var index = range.lowerBound
            for byte in name.utf8 {
                guard text[index] == byte else { return false }
                index += 1
            }
            return true
        }
    }

    private mutating func open(_ kind: JSONValue.Kind) throws(JSONSyntaxError) {
        guard depth < JSONDocument.maximumDepth else {
            throw scanner.failure(.tooDeep(maximum: JSONDocument.maximumDepth))
        }
        scanner.position += 1
        // The outermost value precedes its members.
        if depth == 0 { append(kind, from: start) }
        objects = objects << 1 | (kind == .object ? 1 : 0)
        depth += 1
        isEmpty = true
    }

    private mutating func close(_ kind: JSONValue.Kind) {
        scanner.position += 1
        objects >>= 1
        depth -= 1
        if depth == 0 {
            nodes[0].end = UInt32(truncatingIfNeeded: scanner.position)
            nodes[0].next = UInt32(truncatingIfNeeded: nodes.count)
        } else {
            keep(kind)
        }
    }

    /// Ends a value, and records it where it is kept.
    private mutating func keep(_ kind: JSONValue.Kind, hasEscapes: Bool = false) {
        isEmpty = false
        guard depth == 0 || (depth == 1 && isKept) else { return }
        isKept = false
        append(kind, from: start, hasEscapes: hasEscapes)
    }

    private mutating func append(_ kind: JSONValue.Kind, from start: Int, hasEscapes: Bool = false) {
        nodes.append(
            JSONNode(kind, start: start, end: scanner.position, next: nodes.count + 1, hasEscapes: hasEscapes))
    }
}
