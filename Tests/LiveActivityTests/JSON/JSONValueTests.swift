import LiveActivity
import TestSupport
import Testing

@Suite("JSON values")
struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8)).root
    }

    private func text(_ value: JSONValue?) -> String? {
        value.map { String(decoding: $0.slice, as: UTF8.self) }
    }

    @Test(
        "The kind of a value is known without decoding",
        arguments: zip(
            ["{}", "[]", "\"\"", "0", "true", "false", "null"],
            [.object, .array, .string, .number, .true, .false, .null] as [JSONValue.Kind]))
    func kinds(text: String, kind: JSONValue.Kind) throws {
        #expect(try parse(" \(text)\r\n").kind == kind)
        #expect(try parse(" \(text)\r\n").byteRange == 1..<text.utf8.count + 1)
    }

    @Test("Content is passed on byte for byte: spelling, order, white space, duplicates and escapes")
    func passThrough() throws {
        let content = #"{ "b":1.0,"a" : 1e3 , "n":12345678901234567890,"b":[ ],"\u0061":"\/\ud83d\ude00é"}"#
        let root = try parse("\t{\"before\":[[],{}], \"content\" :\n\(content) ,\"after\":{}}")
        #expect(text(try root.member("content")) == content)
        #expect(text(try root.member("before")) == "[[],{}]")
        #expect(text(try root.member("after")) == "{}")
    }

    @Test("A member is found by its name after escapes, and compared byte for byte")
    func names() throws {
        let root = try parse(#"{"t\u0069tle":1,"":2,"\ud83d\ude00":3,"e\u0301":4,"a\"b":5}"#)
        #expect(try root.member("title")?.int64 == 1)
        #expect(try root.member("")?.int64 == 2)
        #expect(try root.member("😀")?.int64 == 3)
        #expect(try root.member("e\u{301}")?.int64 == 4)
        #expect(try root.member("\u{E9}") == nil)
        #expect(try root.member("a\"b")?.int64 == 5)
        #expect(try root.member("Title") == nil)
        #expect(try root.member("titl") == nil)
        #expect(try root.member("titles") == nil)
    }

    @Test("Several members come in the order of the names, nested names are not taken for the object's own")
    func severalMembers() throws {
        let root = try parse(#"{"a":{"b":1,"c":[{"c":2}]},"x":[{"b":3}],"c":4}"#)
        let found = try root.members(["c", "b", "a", "c"])
        #expect(found.map(text) == ["4", nil, #"{"b":1,"c":[{"c":2}]}"#, "4"])
        #expect(try root.members([]).isEmpty)
        #expect(try parse("[1]").member("a") == nil)
        #expect(try parse("{}").members(["a"]).map(text) == [nil])
    }

    @Test("The names of an object come in the order of the text, without escapes, twice where they stand twice")
    func memberNames() throws {
        let names = try JSONDocument(parsing: Array(#"{"b":{"x":[1]},"a":[{"y":1}],"t\u0069":3,"b":null}"#.utf8)).root
        #expect(names.memberNames == ["b", "a", "ti", "b"])
        #expect(try names.member("a")?.memberNames == [])
        #expect(try JSONDocument(parsing: Array("{}".utf8)).root.memberNames.isEmpty)
    }

    @Test("A member asked for must not be there twice; others may")
    func duplicates() throws {
        let root = try parse(#"{"a":1,"b":2, "b":3,"\u0061":{"b":1,"b":1}}"#)
        #expect(throws: JSONSyntaxError(offset: 20, reason: .duplicateMember("a"))) { try root.member("a") }
        #expect(throws: JSONSyntaxError(offset: 14, reason: .duplicateMember("b"))) { try root.member("b") }
        #expect(throws: JSONSyntaxError(offset: 14, reason: .duplicateMember("b"))) { try root.members(["a", "b"]) }
        #expect(throws: JSONSyntaxError(offset: 20, reason: .duplicateMember("a"))) { try root.members(["c", "a"]) }
        #expect(try root.member("c") == nil)
    }

    @Test("The elements of an array come in order, each with its own range")
    func elements() throws {
        let root = try parse(#"[1,[2,[3]], {"a":[4,5]},"six",[],null]"#)
        #expect(root.elements.map(text) == ["1", "[2,[3]]", #"{"a":[4,5]}"#, "\"six\"", "[]", "null"])
        #expect(root.elementCount == 6)
        #expect(try parse(" [ ] ").elementCount == 0)
        #expect(try parse("[]").elements.map(text).isEmpty)
        #expect(try parse("{\"a\":1}").elementCount == 0)
        #expect(try parse("{\"a\":1}").elements.map(text).isEmpty)
        #expect(try parse("\"abc\"").elements.map(text).isEmpty)
        let long = try parse("[" + String(repeating: "0,", count: 9_999) + "0]")
        #expect(long.elementCount == 10_000)
        #expect(long.elements.map(\.byteRange.count).reduce(0, +) == 10_000)
    }

    @Test("An empty object is told from one with members and from other kinds")
    func emptyObject() throws {
        #expect(try parse("{}").isEmptyObject)
        #expect(try parse("{ \n}").isEmptyObject)
        #expect(try !parse("{\"\":{}}").isEmptyObject)
        #expect(try !parse("[]").isEmptyObject)
        #expect(try !parse("null").isEmptyObject)
    }

    @Test(
        "A string is decoded with all its escapes",
        arguments: Escaped.each(
            Array(
                zip(
                    [
                        #""""#, #""plain and longer than eight""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u007F""#,
                        #""\u00e9\u20AC""#, #""\uD834\uDD1E\ud800\udc00\uDBFF\uDFFF""#, #""é€😀 mixed \u00e9 with €""#,
                        #""\\u0041""#,
                    ],
                    [
                        "", "plain and longer than eight", "\"\\/\u{8}\u{C}\n\r\t", "\0\u{1F}\u{7F}", "é€",
                        "\u{1D11E}\u{10000}\u{10FFFF}", "é€😀 mixed é with €", "\\u0041",
                    ]))))
    func strings(_ argument: Escaped<(String, String)>) throws {
        let (json, expected) = argument.value
        let value = try parse(json)
        #expect(value.string.map { Array($0.utf8) } == Array(expected.utf8))
        #expect(value.unescapedBytes == Array(expected.utf8))
    }

    @Test(
        "An integer is read when it is spelled as one and fits",
        arguments: zip(
            [
                "0", "-0", "7", "-12", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                "-9223372036854775809", "12345678901234567890", "1.0", "1e3", "99999999999999999999999",
            ],
            [0, 0, 7, -12, .max, .min, nil, nil, nil, nil, nil, nil] as [Int64?]))
    func integers(json: String, expected: Int64?) throws {
        #expect(try parse(json).int64 == expected)
        #expect(try parse(json).double == Double(json))
    }

    @Test("A double is the nearest one, and absent beyond the largest")
    func doubles() throws {
        #expect(try parse("1e3").double == 1000)
        #expect(try parse("-1.5E-2").double == -0.015)
        #expect(try parse("0.1").double == 0.1)
        #expect(try parse("-0").double?.sign == .minus)
        #expect(try parse("1.7976931348623157e308").double == .greatestFiniteMagnitude)
        #expect(try parse("1e309").double == nil)
        #expect(try parse("-1e400").double == nil)
        #expect(try parse("1e-400").double == 0)
        #expect(try parse("5e-324").double == .leastNonzeroMagnitude)
    }

    @Test("A value of another kind is never converted", arguments: ["{}", "[]", "\"1\"", "1", "true", "false", "null"])
    func noConversion(json: String) throws {
        let value = try parse(json)
        #expect((value.string != nil) == (json == "\"1\""))
        #expect((value.unescapedBytes != nil) == (json == "\"1\""))
        #expect((value.int64 != nil) == (json == "1"))
        #expect((value.double != nil) == (json == "1"))
        #expect(value.bool == (json == "true" ? true : json == "false" ? false : nil))
    }

    @Test("A quote or backslash is seen at every place in a long run of plain bytes")
    func wordBoundaries() throws {
        for before in 0..<24 {
            for after in 0..<10 {
                let plain = String(repeating: "~", count: before), rest = String(repeating: "!", count: after)
                #expect(try parse("\"\(plain)\\\"\(rest)\"").string == "\(plain)\"\(rest)")
                #expect(try parse("[\"\(plain)\",\"\(rest)\"]").elements.map(\.string) == [plain, rest])
                #expect(try parse("\"\(plain)é\(rest)\"").string == "\(plain)é\(rest)")
            }
        }
    }
}
