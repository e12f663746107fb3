/// Scans a text in one pass and stores a node for each value. Open containers are linked through their nodes' `next`,
/// so depth needs neither recursion nor a stack.
///
/// Each method receives the text as a span, which checks each index and shares no ownership.
struct JSONScanner {
    private(set) var nodes: [JSONNode] = []
    /// The offset of the next byte.
    var position = 0
    private var depth = 0
    /// The index of the innermost open container; negative if none is open.
    private var container = -1
    private let maximumDepth: Int

    init(length: Int, maximumDepth: Int) {
        self.maximumDepth = maximumDepth
        // A request has a name or value for about every seven bytes. A low estimate costs a reallocation of the array.
        nodes.reserveCapacity(length / 6 + 8)
    }

    mutating func scan(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        skipByteOrderMark(text)
        skipWhiteSpace(text)
        guard position < text.count else { throw failure(.empty) }
        repeat {
            try scanValue(text)
        } while try advanceToNextValue(text)
        skipWhiteSpace(text)
        guard position == text.count else { throw failure(.trailingBytes) }
    }

    /// Scans a complete scalar or the opening of a container.
    private mutating func scanValue(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        switch try byte(text) {
        case UInt8(ascii: "\""):
            try scanString(text)
        case UInt8(ascii: "{"):
            try open(.object)
        case UInt8(ascii: "["):
            try open(.array)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = position
            try skipNumber(text)
            append(.number, from: start)
        case UInt8(ascii: "t"):
            try scanLiteral(text, "true", .true)
        case UInt8(ascii: "f"):
            try scanLiteral(text, "false", .false)
        case UInt8(ascii: "n"):
            try scanLiteral(text, "null", .null)
        default:
            throw failure(.expectedValue)
        }
    }

    /// Skips the text between two values: closings, a comma, a name and its colon. Returns false after the outermost
    /// value.
    private mutating func advanceToNextValue(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        while container >= 0 {
            skipWhiteSpace(text)
            let next = try byte(text)
            let isObject = nodes[container].kind == .object
            // A container's node is the last node only while the container is empty.
            let isEmpty = container == nodes.count - 1
            if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                close()
                continue
            }
            if !isEmpty {
                guard next == UInt8(ascii: ",") else {
                    throw failure(isObject ? .expectedCommaOrClosingBrace : .expectedCommaOrClosingBracket)
                }
                position += 1
                skipWhiteSpace(text)
            }
            nodes[container].countChild()
            if isObject { try scanMemberName(text) }
            return true
        }
        return false
    }

    private mutating func scanMemberName(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        guard try byte(text) == UInt8(ascii: "\"") else { throw failure(.expectedMemberName) }
        try scanString(text)
        skipWhiteSpace(text)
        guard try byte(text) == UInt8(ascii: ":") else { throw failure(.expectedColon) }
        position += 1
        skipWhiteSpace(text)
    }

    private mutating func scanString(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        let start = position
        let hasEscapes = try skipString(text)
        append(.string, from: start, hasEscapes: hasEscapes)
    }

    private mutating func scanLiteral(
        _ text: Span<UInt8>, _ word: StaticString, _ kind: JSONValue.Kind
    ) throws(JSONSyntaxError) {
        let start = position
        try skipLiteral(text, word)
        append(kind, from: start)
    }

    /// Skips a word that begins at the current position.
    mutating func skipLiteral(_ text: Span<UInt8>, _ word: StaticString) throws(JSONSyntaxError) {
        let start = position
        let count = word.utf8CodeUnitCount
        var matched = 1
        while matched < count, start + matched < text.count, text[start + matched] == word.utf8Start[matched] {
            matched += 1
        }
        if matched < count {
            throw start + matched == text.count
                ? failure(.unexpectedEnd, at: text.count) : failure(.invalidLiteral, at: start)
        }
        position = start + count
    }

    private mutating func open(_ kind: JSONValue.Kind) throws(JSONSyntaxError) {
        guard depth < maximumDepth else { throw failure(.tooDeep(maximum: maximumDepth)) }
        depth += 1
        nodes.append(JSONNode(kind, start: position, end: position, next: container))
        container = nodes.count - 1
        position += 1
    }

    private mutating func close() {
        position += 1
        depth -= 1
        let outer = Int(Int32(bitPattern: nodes[container].next))
        nodes[container].end = UInt32(truncatingIfNeeded: position)
        nodes[container].next = UInt32(truncatingIfNeeded: nodes.count)
        container = outer
    }

    private mutating func append(_ kind: JSONValue.Kind, from start: Int, hasEscapes: Bool = false) {
        nodes.append(JSONNode(kind, start: start, end: position, next: nodes.count + 1, hasEscapes: hasEscapes))
    }

    /// Skips a byte order mark before the text, as RFC 8259, section 8.1 allows.
    mutating func skipByteOrderMark(_ text: Span<UInt8>) {
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { position = 3 }
    }

    mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The byte at the current position; throws at the end of the text.
    func byte(_ text: Span<UInt8>) throws(JSONSyntaxError) -> UInt8 {
        guard position < text.count else { throw failure(.unexpectedEnd) }
        return text[position]
    }

    func failure(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
        failure(reason, at: position)
    }

    func failure(_ reason: JSONSyntaxError.Reason, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(offset: offset, reason: reason)
    }
}
