/// Walks a text once and writes down a node for each value. The open containers are chained through their nodes'
/// `next`, so that depth costs neither recursion nor a stack of its own.
///
/// The text is handed to each method as a span, which checks each index and shares no ownership.
struct JSONScanner {
    private(set) var nodes: [JSONNode] = []
    /// The offset of the next byte to look at.
    var position = 0
    private var depth = 0
    /// The index of the innermost open container; negative when there is none.
    private var container = -1
    private let maximumDepth: Int

    init(length: Int, maximumDepth: Int) {
        self.maximumDepth = maximumDepth
        // A request has a name or value for every seven bytes or so. Too low a guess costs a growth of the array.
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

    /// Scans a scalar whole, and of a container the opening alone; an empty container is closed at once.
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

    /// Goes past what stands between two values: closings, a comma, a name and its colon.
    /// False when the outermost value has ended.
    private mutating func advanceToNextValue(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        while container >= 0 {
            skipWhiteSpace(text)
            let next = try byte(text)
            let isObject = nodes[container].kind == .object
            // A container's node is the last one exactly as long as the container is empty.
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

    /// Skips a word whose first letter is at the current position.
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

    /// A reader may pass over a byte order mark in front of a text (RFC 8259, section 8.1).
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

    /// The byte at the current position; there has to be one.
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
