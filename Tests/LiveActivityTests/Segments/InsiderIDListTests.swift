import Encodings
import LiveActivity
import TestSupport
import Testing

@Suite("Lists of insider_ids")
struct InsiderIDListTests {
    private static func parse(
        _ pieces: [some Collection<UInt8>], _ format: InsiderIDListParser.Format
    ) throws(InsiderIDListError) -> [String] {
        var parser = InsiderIDListParser(format)
        var run = InsiderIDRun()
        for piece in pieces { try parser.parse(piece, into: &run) }
        try parser.finish(into: &run)
        var ids: [String] = []
        run.forEach { ids.append(String(decoding: $0, as: UTF8.self)) }
        return ids
    }

    private static func outcome(
        _ pieces: [some Collection<UInt8>], _ format: InsiderIDListParser.Format
    ) -> Result<[String], InsiderIDListError> {
        do throws(InsiderIDListError) { return .success(try parse(pieces, format)) } catch { return .failure(error) }
    }

    static let csv: [(String, [String])] = [
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\u{FEFF}insider_id\na\n", ["a"]),
        ("\u{FEFF}a", ["a"]),
        ("insider_id,name\na,Ann\nb,\"Bo, \"\"B\"\"\"\n", ["a", "b"]),
        ("\n\r\n  \n\t\na\n\n", ["a"]),
        ("a\ninsider_id\n", ["a", "insider_id"]),
        ("\"a,b\"\n\"c\"\"d\"\n\"e\nf\"\n", ["a,b", "c\"d", "e\nf"]),
        ("\"e\r\nf\"\r\n\"g\"", ["e\r\nf", "g"]),
        (" a b \n", [" a b "]),
        ("email,insider_id\r\nx@y,a\r\n\"x,y\",b\r\n", ["a", "b"]),
        ("Insider_ID\na\n", ["a"]),
        ("\u{FEFF}\" INSIDER_ID \";name\na;Ann\nb;Bo\n", ["a", "b"]),
        ("name\tinsider_id\t\nAnn\ta\t\n", ["a"]),
        ("\"na;me\",insider_id\n\"x;y\",\"a,b\"\n", ["a,b"]),
        ("name|insider_id\nA;B,C|a\n", ["a"]),
        ("auth0|1\nauth0|2\n", ["auth0|1", "auth0|2"]),
        ("sep=|\nname|insider_id\nAnn|a\n", ["a"]),
        ("sep=;\r\ninsider_id;sum\r\na;1,50\r\n", ["a"]),
        ("insider_id;name\na;Ann\n;\n ; \n\n", ["a"]),
        ("insider_id\na;b\nc\td\n", ["a;b", "c\td"]),
        ("\" \"\n", [" "]),
        ("żółw\n日本\n😀\n", ["żółw", "日本", "😀"]),
        ("a\n\n\"insider_id\"", ["a", "insider_id"]),
        ("\"insider_id\"\na", ["a"]),
    ]

    @Test("The column insider_id of a CSV is read, or its only column", arguments: Escaped.each(csv))
    func readsCSV(_ argument: Escaped<(String, [String])>) throws {
        let (text, ids) = argument.value
        #expect(try Self.parse([Array(text.utf8)], .csv) == ids)
        #expect(try Self.parse(text.utf8.map { [$0] }, .csv) == ids)
    }

    static let longest = String(repeating: "x", count: DeviceKey.maximumLength)

    static let brokenCSV: [([UInt8], Int, InsiderIDListError.Reason)] = [
        (Array("a\nb\nc\"d\n".utf8), 3, .csv(.strayQuote)),
        (Array("a\n\"b\"c\n".utf8), 2, .csv(.textBehindQuote)),
        (Array("a\n\"b\n\n".utf8), 2, .csv(.openQuote)),
        (Array("insider_id,name\n,b\n".utf8), 2, .emptyID),
        (Array("a\nb,c\n".utf8), 2, .cells(2, columns: 1)),
        (Array("name,insider_id\nAnn, B,a\n".utf8), 2, .cells(3, columns: 2)),
        (Array("name,insider_id\n\nAnn\n".utf8), 3, .cells(1, columns: 2)),
        (Array("email,name\nx,y\n".utf8), 1, .noColumn(2)),
        (Array("\nx;y\n".utf8), 2, .noColumn(2)),
        (Array("a,,\n".utf8), 1, .noColumn(3)),
        (Array("insider_id,Insider_Id\na,b\n".utf8), 1, .columnTwice),
        (Array("name;Insider ID\nAnn;a\n".utf8), 1, .misnamedColumn("insider id")),
        (Array("insiderId\na\n".utf8), 1, .misnamedColumn("insiderid")),
        (Array("insider_id\n".utf8), 2, .noUsers),
        (Array("\u{FEFF}insider_id;name\r\n;\r\n".utf8), 3, .noUsers),
        (Array("insider_id".utf8), 1, .noUsers),
        ([], 1, .noUsers),
        (Array("\n \n".utf8), 3, .noUsers),
        (Array("\"x\ny\",z\n".utf8), 1, .noColumn(2)),
        (Array(("\"" + String(repeating: "x", count: 65_536)).utf8), 1, .longLine(maximum: 65_536)),
        (Array("a\n\"\"\n".utf8), 2, .emptyID),
        (Array("a\n.\n".utf8), 2, .dotSegment),
        (Array("...\n..\n".utf8), 2, .dotSegment),
        (Array("a\rb\n".utf8), 1, .csv(.loneCarriageReturn)),
        (Array("a\nb\r".utf8), 2, .csv(.loneCarriageReturn)),
        (Array("\"x\ny\"\n\(longest)x\n".utf8), 3, .longID),
        (Array("a\n".utf8) + [0xFF], 2, .invalidUTF8),
        (Array("a\nb,".utf8) + [0xC3, 0x0A], 2, .invalidUTF8),
        (Array("a\nb".utf8) + [0xE6, 0x97], 2, .invalidUTF8),
        ([0xED, 0xA0, 0x80], 1, .invalidUTF8),
        ([0xC0, 0x80], 1, .invalidUTF8),
        ([0xF4, 0x90, 0x80, 0x80], 1, .invalidUTF8),
        ([0xEF, 0xBB], 1, .invalidUTF8),
        ([0xFF, 0xFE, 0x61, 0x00], 1, .invalidUTF8),
        (Array("a\n\nb\0c\n".utf8), 3, .zeroByte),
    ]

    @Test("A broken line of CSV is named by its number and by what is wrong with it", arguments: brokenCSV)
    func refusesCSV(_ bytes: [UInt8], _ line: Int, _ reason: InsiderIDListError.Reason) {
        let expected = Result<[String], _>.failure(InsiderIDListError(line: line, reason: reason))
        #expect(Self.outcome([bytes], .csv) == expected)
        #expect(Self.outcome(bytes.map { [$0] }, .csv) == expected)
    }

    @Test("An id may have as many bytes as a device's key may, and no more")
    func longestID() throws {
        #expect(try Self.parse([Array(Self.longest.utf8)], .csv) == [Self.longest])
        #expect(try Self.parse([Array("\"\(Self.longest)\"".utf8)], .jsonLines) == [Self.longest])
        #expect(
            Self.outcome([Array("\"\(Self.longest)x\"".utf8)], .jsonLines)
                == .failure(InsiderIDListError(line: 1, reason: .longID)))
    }

    @Test("Each line of JSON is a string, or an object with an insider_id")
    func readsJSONLines() throws {
        let text = """
            \u{FEFF}"a"\r
            {"name": {"insider_id": 1}, "insider_id": "b\\u0021"}

             \t
              "c\\"d"
            {"insider\\u005fid":"e"}
            "żó"
            """
        #expect(try Self.parse([Array(text.utf8)], .jsonLines) == ["a", "b!", "c\"d", "e", "żó"])
        #expect(try Self.parse(text.utf8.map { [$0] }, .jsonLines) == ["a", "b!", "c\"d", "e", "żó"])
    }

    static let brokenJSON: [(String, InsiderIDListError.Reason)] = [
        ("a", .json(JSONSyntaxError(offset: 0, reason: .expectedValue))),
        ("\"a\"x", .json(JSONSyntaxError(offset: 3, reason: .trailingBytes))),
        ("\"a\" \"b\"", .json(JSONSyntaxError(offset: 4, reason: .trailingBytes))),
        ("17", .noID),
        ("[\"a\"]", .noID),
        ("{\"id\":\"a\"}", .noID),
        ("{\"insider_id\":7}", .noID),
        (
            "{\"insider_id\":\"a\",\"insider_id\":\"b\"}",
            .json(JSONSyntaxError(offset: 18, reason: .duplicateMember("insider_id")))
        ),
        ("\"\"", .emptyID),
        ("\"..\"", .dotSegment),
        ("{\"insider_id\":\"\\u002e\"}", .dotSegment),
        ("\"\\u0000\"", .zeroByte),
        ("\"\\ud800\"", .json(JSONSyntaxError(offset: 1, reason: .loneSurrogate))),
        ("\"" + String(repeating: "x", count: 65_536), .longLine(maximum: 65_536)),
    ]

    @Test("A broken line of JSON is named by its number and by what is wrong with it", arguments: brokenJSON)
    func refusesJSONLines(_ line: String, _ reason: InsiderIDListError.Reason) {
        let bytes = Array("\"first\"\n\n\(line)\n\"last\"\n".utf8)
        let expected = Result<[String], _>.failure(InsiderIDListError(line: 3, reason: reason))
        #expect(Self.outcome([bytes], .jsonLines) == expected)
    }

    /// Cuts bytes at random places, sometimes into nothing.
    private static func cut(_ bytes: [UInt8], using random: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var index = 0
        while index < bytes.count {
            let end = min(
                bytes.count, index + Int.random(in: 0...Int.random(in: 1...40, using: &random), using: &random))
            pieces.append(bytes[index..<end])
            index = end
        }
        return pieces
    }

    @Test(
        "What any list says does not depend on how it is cut", arguments: [InsiderIDListParser.Format.csv, .jsonLines])
    func cuts(_ format: InsiderIDListParser.Format) {
        let seed = TestSeed.current
        var random = SeededGenerator(seed: seed)
        let alphabet = [
            "a", "b", ",", "\"", "\"\"", "\n", "\r\n", "\r", " ", "\"x\"\n", "\"x\",y\n", "ż", "😀",
            "{\"insider_id\":\"q\"}\n",
            "\u{FEFF}", "\\u0041", "insider_id\n",
        ].map { Array($0.utf8) }
        for round in 0..<3000 {
            var bytes = (0..<Int.random(in: 0...30, using: &random)).flatMap { _ in
                alphabet.randomElement(using: &random) ?? []
            }
            if Int.random(in: 0..<4, using: &random) == 0, !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
            }
            let whole = Self.outcome([bytes], format)
            #expect(Self.outcome(Self.cut(bytes, using: &random), format) == whole, "seed \(seed), round \(round)")
        }
    }

    @Test("Ids that were written as CSV or JSON are read as they were, whatever stands in them")
    func roundTrip() throws {
        let seed = TestSeed.current
        var random = SeededGenerator(seed: seed)
        let characters = ["a", "7", "-", ",", "\"", "\n", "\r", " ", "ż", "日", "😀", "\\", "\u{85}"]
        for round in 0..<300 {
            let ids = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                "i"
                    + (0..<Int.random(in: 0...30, using: &random)).map { _ in
                        characters.randomElement(using: &random) ?? ""
                    }.joined()
            }
            let end = Bool.random(using: &random) ? "\r\n" : "\n"
            let quoted = ids.map {
                "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\",x"
            }
            let csv = Array((["insider_id,x"] + quoted).joined(separator: end).utf8)
            #expect(try Self.parse(Self.cut(csv, using: &random), .csv) == ids, "seed \(seed), round \(round)")
            let lines = ids.map { id in
                JSONWriter.object { $0.field("insider_id", id) }.withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            let json = Array(lines.joined(separator: end).utf8)
            #expect(try Self.parse(Self.cut(json, using: &random), .jsonLines) == ids, "seed \(seed), round \(round)")
        }
    }

    @Test(
        "Names of segments",
        arguments: Escaped.each([
            ("vip", true), ("a.b_c-d~e:f", true), ("", false), (".", false), ("..", false), ("...", true),
            ("a b", false),
            ("a/b", false), ("ż", false), ("a\0", false), (String(repeating: "n", count: 128), true),
            (String(repeating: "n", count: 129), false),
        ]))
    func names(_ argument: Escaped<(String, Bool)>) {
        let (name, isValid) = argument.value
        #expect(SegmentName.isValid(name) == isValid)
    }
}
