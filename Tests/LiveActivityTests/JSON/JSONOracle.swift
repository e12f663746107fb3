/// A plain JSON reader for comparison with `JSONDocument`. It recurses over characters, leaves UTF-8 and surrogates to
/// the standard library, and shares no code with the parser.
struct JSONOracle {
    indirect enum Tree {
        case object([(name: [UInt8], value: Tree)])
        case array([Tree])
        case string([UInt8])
        case number(String)
        case word(String)
    }

    private struct Refusal: Error {}

    private var rest: Substring.UnicodeScalarView
    private let maximumDepth: Int

    /// Returns the value of the text; nil if it is not JSON.
    static func read(_ bytes: [UInt8], maximumDepth: Int = 64) -> Tree? {
        guard var text = String(validating: bytes, as: UTF8.self) else { return nil }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        var oracle = JSONOracle(rest: Substring(text).unicodeScalars, maximumDepth: maximumDepth)
        guard let tree = try? oracle.value(depth: 0) else { return nil }
        oracle.dropWhiteSpace()
        return oracle.rest.isEmpty ? tree : nil
    }

    private mutating func value(depth: Int) throws -> Tree {
        dropWhiteSpace()
        if take("{") { return .object(try list(until: "}", depth: depth) { try $0.member(depth: depth + 1) }) }
        if take("[") { return .array(try list(until: "]", depth: depth) { try $0.value(depth: depth + 1) }) }
        if take("\"") { return .string(try string()) }
        for word in ["true", "false", "null"] where take(word) { return .word(word) }
        return .number(try number())
    }

    private mutating func list<Item>(
        until end: String, depth: Int, _ item: (inout JSONOracle) throws -> Item
    ) throws -> [Item] {
        if depth == maximumDepth { throw Refusal() }
        var items: [Item] = []
        dropWhiteSpace()
        if take(end) { return items }
        while true {
            items.append(try item(&self))
            dropWhiteSpace()
            if take(end) { return items }
            guard take(",") else { throw Refusal() }
        }
    }

    private mutating func member(depth: Int) throws -> (name: [UInt8], value: Tree) {
        dropWhiteSpace()
        guard take("\"") else { throw Refusal() }
        let name = try string()
        dropWhiteSpace()
        guard take(":") else { throw Refusal() }
        return (name, try value(depth: depth))
    }

    private mutating func string() throws -> [UInt8] {
        let simple: [Unicode.Scalar: UInt16] = [
            "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        var units: [UInt16] = []
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                guard let result = String(validating: units, as: UTF16.self) else { throw Refusal() }
                return Array(result.utf8)
            }
            guard scalar.value >= 0x20 else { throw Refusal() }
            guard scalar == "\\" else {
                units += Array(String(scalar).utf16)
                continue
            }
            guard let letter = rest.popFirst() else { throw Refusal() }
            if let unit = simple[letter] {
                units.append(unit)
            } else {
                let digits = String(String.UnicodeScalarView(rest.prefix(4)))
                guard letter == "u", digits.utf8.count == 4, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                    let unit = UInt16(digits, radix: 16)
                else { throw Refusal() }
                units.append(unit)
                rest = rest.dropFirst(4)
            }
        }
        throw Refusal()
    }

    /// Takes all characters of a number, then checks its form.
    private mutating func number() throws -> String {
        let spelling = String(String.UnicodeScalarView(rest.prefix { "+-.eE0123456789".unicodeScalars.contains($0) }))
        guard spelling.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil else { throw Refusal() }
        rest = rest.dropFirst(spelling.unicodeScalars.count)
        return spelling
    }

    private mutating func take(_ word: String) -> Bool {
        guard rest.starts(with: word.unicodeScalars) else { return false }
        rest = rest.dropFirst(word.unicodeScalars.count)
        return true
    }

    private mutating func dropWhiteSpace() {
        rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    }
}
