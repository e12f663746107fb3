import LiveActivity
import Testing

@Suite("JSON syntax errors")
struct JSONSyntaxErrorTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let offset: Int
        let reason: JSONSyntaxError.Reason

        init(_ text: String, _ offset: Int, _ reason: JSONSyntaxError.Reason) {
            self.init(Array(text.utf8), offset, reason)
        }

        init(_ bytes: [UInt8], _ offset: Int, _ reason: JSONSyntaxError.Reason) {
            self.bytes = bytes
            self.offset = offset
            self.reason = reason
        }

        /// Bytes inside `["` and `"]`, with the offset counted from the first of them.
        static func string(_ bytes: [UInt8], _ offset: Int, _ reason: JSONSyntaxError.Reason) -> Refused {
            Refused(Array("[\"".utf8) + bytes + Array("\"]".utf8), offset + 2, reason)
        }

        var testDescription: String { "\(String(decoding: bytes, as: UTF8.self).debugDescription): \(reason)" }
    }

    private func check(_ refused: Refused) {
        #expect(throws: JSONSyntaxError(offset: refused.offset, reason: refused.reason)) {
            try JSONDocument(parsing: refused.bytes)
        }
    }

    @Test(
        "Structure is refused where it first goes wrong",
        arguments: [
            Refused("", 0, .empty), Refused(" \n\t\r ", 5, .empty),
            Refused("\u{FEFF}", 3, .empty), Refused("\u{FEFF}\u{FEFF}1", 3, .expectedValue),
            Refused(" \u{FEFF}1", 1, .expectedValue), Refused("\u{FEFF}[1", 5, .unexpectedEnd),
            Refused("{", 1, .unexpectedEnd), Refused("[1", 2, .unexpectedEnd), Refused("[1,", 3, .unexpectedEnd),
            Refused("{\"a\"", 4, .unexpectedEnd), Refused("{\"a\": ", 6, .unexpectedEnd),
            Refused("\"abc", 4, .unexpectedEnd), Refused("\"a long string", 14, .unexpectedEnd),
            Refused("]", 0, .expectedValue), Refused("[,1]", 1, .expectedValue), Refused("[1,]", 3, .expectedValue),
            Refused("[1,,2]", 3, .expectedValue), Refused("{\"a\":}", 5, .expectedValue),
            Refused("NaN", 0, .expectedValue), Refused("'a'", 0, .expectedValue), Refused("/**/1", 0, .expectedValue),
            Refused("\u{A0}1", 0, .expectedValue), Refused("\u{0C}1", 0, .expectedValue),
            Refused("{a:1}", 1, .expectedMemberName), Refused("{\"a\":1,}", 7, .expectedMemberName),
            Refused("{1:1}", 1, .expectedMemberName), Refused("{,}", 1, .expectedMemberName),
            Refused("{\"a\" 1}", 5, .expectedColon), Refused("{\"a\"}", 4, .expectedColon),
            Refused("{\"a\":1 \"b\":2}", 7, .expectedCommaOrClosingBrace),
            Refused("{\"a\":1]", 6, .expectedCommaOrClosingBrace),
            Refused("{\"a\"::1}", 5, .expectedValue),
            Refused("[1 2]", 3, .expectedCommaOrClosingBracket), Refused("[1}", 2, .expectedCommaOrClosingBracket),
            Refused("[1:2]", 2, .expectedCommaOrClosingBracket), Refused("[truer]", 5, .expectedCommaOrClosingBracket),
            Refused("{} {}", 3, .trailingBytes), Refused("1,", 1, .trailingBytes), Refused("{}\0", 2, .trailingBytes),
            Refused("[]]", 2, .trailingBytes),
        ])
    func structure(refused: Refused) {
        check(refused)
    }

    @Test(
        "Words and numbers are refused where they first go wrong",
        arguments: [
            Refused("[tru]", 1, .invalidLiteral), Refused("[True]", 1, .expectedValue),
            Refused("nul0", 0, .invalidLiteral), Refused("fals", 4, .unexpectedEnd), Refused("n", 1, .unexpectedEnd),
            Refused("-", 1, .unexpectedEnd), Refused("[-]", 2, .expectedDigit), Refused("-a", 1, .expectedDigit),
            Refused("-Infinity", 1, .expectedDigit), Refused("--1", 1, .expectedDigit),
            Refused("1.", 2, .unexpectedEnd), Refused("[1.]", 3, .expectedDigit), Refused("1.e1", 2, .expectedDigit),
            Refused("1e", 2, .unexpectedEnd), Refused("1e+", 3, .unexpectedEnd), Refused("[1e]", 3, .expectedDigit),
            Refused("[1e+-1]", 4, .expectedDigit), Refused("[1E.5]", 3, .expectedDigit),
            Refused("01", 0, .leadingZero), Refused("[-012]", 2, .leadingZero), Refused("00.1", 0, .leadingZero),
            Refused("+1", 0, .expectedValue), Refused(".5", 0, .expectedValue), Refused("0x1", 1, .trailingBytes),
            Refused("1.2.3", 3, .trailingBytes), Refused("1e5e5", 3, .trailingBytes), Refused("1_0", 1, .trailingBytes),
        ])
    func scalars(refused: Refused) {
        check(refused)
    }

    @Test(
        "Escapes are refused at their backslash",
        arguments: [
            Refused("[\"\\x\"]", 2, .invalidEscape), Refused("[\"ab\\U0041\"]", 4, .invalidEscape),
            Refused("[\"\\\u{E9}\"]", 2, .invalidEscape), Refused("\"\\", 2, .unexpectedEnd),
            Refused("[\"\\u12\"]", 2, .invalidUnicodeEscape), Refused("[\"a\\u00g0\"]", 3, .invalidUnicodeEscape),
            Refused("\"\\u00", 5, .unexpectedEnd), Refused("[\"\\u+041\"]", 2, .invalidUnicodeEscape),
            Refused("[\"\\ud83d\"]", 2, .loneSurrogate), Refused("[\"\\ud83dx\"]", 2, .loneSurrogate),
            Refused("[\"x\\ud83d\\n\"]", 3, .loneSurrogate), Refused("[\"\\ud83d\\u0041\"]", 2, .loneSurrogate),
            Refused("[\"\\ud83d\\ud83d\\ude00\"]", 2, .loneSurrogate), Refused("[\"\\ude00\"]", 2, .loneSurrogate),
            Refused("[\"\\ude00\\ud83d\"]", 2, .loneSurrogate), Refused("{\"\\uDFFF\":1}", 2, .loneSurrogate),
            Refused("[\"\\ud83d\\u12\"]", 8, .invalidUnicodeEscape), Refused("\"\\ud83d", 7, .unexpectedEnd),
            Refused("\"\\ud83d\\ude", 11, .unexpectedEnd),
        ])
    func escapes(refused: Refused) {
        check(refused)
    }

    @Test("Every control character in a string is refused, wherever in a run of plain bytes it stands")
    func controlCharacters() {
        for control in UInt8(0)..<0x20 {
            for before in 0..<20 {
                let plain = [UInt8](repeating: UInt8(ascii: "a"), count: before)
                let after = [UInt8](repeating: UInt8(ascii: "b"), count: 9)
                check(.string(plain + [control] + after, before, .controlCharacter))
            }
        }
    }

    @Test(
        "Bytes that are no UTF-8 are refused at the first byte of the sequence",
        arguments: [
            [0x80], [0xBF], [0xFF], [0xFE], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x28, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(sequence: [UInt8]) {
        for before in ["", "a", "seven..", "eight...", "a whole lot of plain bytes", "\u{E9}\u{1F600}"] {
            check(.string(Array(before.utf8) + sequence, before.utf8.count, .invalidUTF8))
        }
        check(Refused(Array("\"".utf8) + sequence, 1, .invalidUTF8))
    }

    @Test("Depth is counted over objects and arrays together, and the limit itself is allowed")
    func depth() throws {
        let three = Array(#"[{"a":[]},[[]]]"#.utf8)
        #expect(throws: JSONSyntaxError(offset: 6, reason: .tooDeep(maximum: 2))) {
            try JSONDocument(parsing: three, maximumDepth: 2)
        }
        #expect(try JSONDocument(parsing: three, maximumDepth: 3).root.elementCount == 2)
        #expect(throws: JSONSyntaxError(offset: 0, reason: .tooDeep(maximum: 0))) {
            try JSONDocument(parsing: Array("[]".utf8), maximumDepth: 0)
        }
        #expect(try JSONDocument(parsing: Array("1".utf8), maximumDepth: 0).root.kind == .number)
    }

    @Test("A text over the length limit is refused, one of that length is read")
    func length() throws {
        #expect(throws: JSONSyntaxError(offset: 3, reason: .tooLong(maximum: 3))) {
            try JSONDocument(parsing: Array("1234".utf8), maximumDepth: 1, maximumLength: 3)
        }
        #expect(try JSONDocument(parsing: Array("123".utf8), maximumDepth: 1, maximumLength: 3).root.int64 == 123)
    }

    @Test("An error says where and what in a sentence")
    func description() {
        let error = JSONSyntaxError(offset: 17, reason: .expectedValue)
        #expect(error.description == "byte 17: a value is expected here")
        let duplicate = JSONSyntaxError(offset: 0, reason: .duplicateMember("a"))
        #expect("\(duplicate)" == #"byte 0: the member "a" appears twice"#)
        let reasons: [JSONSyntaxError.Reason] = [
            .empty, .tooLong(maximum: 1), .unexpectedEnd, .expectedValue, .expectedMemberName,
            .expectedColon, .expectedCommaOrClosingBrace, .expectedCommaOrClosingBracket, .trailingBytes,
            .invalidLiteral, .expectedDigit, .leadingZero, .controlCharacter, .invalidEscape, .invalidUnicodeEscape,
            .loneSurrogate, .invalidUTF8, .tooDeep(maximum: 1), .duplicateMember("a"),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
    }
}
