import Foundation
import Testing

/// `Tests/Contract/*.txt` maps each item of the HTTP contract to the test that covers it. A line has the form
/// `kind<TAB>name<TAB>File.swift<TAB>title of the test`. Empty lines and lines that start with # are skipped.
@Suite("The map of the contract")
struct ContractMapTests {
    private static let kinds: Set = ["CODE", "FIELD", "OPTION", "ROUTE", "KEY", "COMMAND"]
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "..").standardizedFileURL

    private struct Line {
        let place: String
        let fields: [String]

        /// Kind and name.
        var item: String { fields.prefix(2).joined(separator: " ") }
    }

    /// The lines of each file of the map, keyed by file name.
    private static func map() throws -> [String: [Line]] {
        let folder = tests.appending(path: "Contract")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
        return try names.reduce(into: [:]) { map, name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            map[name] = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .filter { !$1.isEmpty && !$1.hasPrefix("#") }
                .map { number, line in
                    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                    return Line(place: "\(name):\(number + 1)", fields: fields)
                }
        }
    }

    /// The texts of all test files, keyed by file name, which several folders may share.
    private static func sources() throws -> [String: [String]] {
        let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.reduce(into: [:]) { sources, path in
            let file = tests.appending(path: path)
            sources[file.lastPathComponent, default: []].append(try String(contentsOf: file, encoding: .utf8))
        }
    }

    /// True if the source has a test with this title.
    static func hasTest(_ title: String, in text: String) -> Bool {
        var rest = text[...]
        while let found = rest.range(of: "\"\(title)\"") {
            let before = rest[..<found.lowerBound].reversed().drop { $0.isWhitespace }
            if String(before.prefix(6).reversed()) == "@Test(" { return true }
            rest = rest[found.upperBound...]
        }
        return false
    }

    @Test("Every line has its form, and names each item once")
    func form() throws {
        let map = try Self.map()
        #expect(map.count >= 2)
        for lines in map.values {
            var seen: [String: String] = [:]
            for line in lines {
                let isWhole =
                    line.fields.count == 4
                    && line.fields.allSatisfy { text in
                        !text.isEmpty && text == text.trimmingCharacters(in: .whitespaces)
                    }
                #expect(isWhole, "\(line.place): four fields are needed, with one tab between them")
                #expect(Self.kinds.contains(line.fields[0]), "\(line.place): there is no kind \(line.fields[0])")
                if let first = seen.updateValue(line.place, forKey: line.item) {
                    Issue.record("\(line.place): \(line.item) stands at \(first) already")
                }
            }
        }
    }

    @Test("Every line names a test that there is")
    func namedTests() throws {
        let sources = try Self.sources()
        for line in try Self.map().values.joined() where line.fields.count == 4 {
            let (file, title) = (line.fields[2], line.fields[3])
            guard let texts = sources[file] else {
                Issue.record("\(line.place): there is no \(file) under Tests")
                continue
            }
            #expect(texts.contains { Self.hasTest(title, in: $0) }, "\(line.place): \(file) has no test \"\(title)\"")
        }
    }

    @Test("Every code that the API can answer has a line, and no line names another")
    func codes() throws {
        let file = Self.tests.appending(path: "../Sources/Gateway/GatewayAPI/HTTP/APIError.swift")
        let codes = try String(contentsOf: file, encoding: .utf8)
            .matches(of: /case \w+ = "([A-Z0-9_]+)"/).map { String($0.1) }
        #expect(codes.count >= 29)
        let lines = try Self.map().values.joined().filter { $0.fields.first == "CODE" && $0.fields.count == 4 }
        let mapped = Set(lines.map { $0.fields[1] })
        for code in codes { #expect(mapped.contains(code), "no test is named for \(code)") }
        for line in lines where !codes.contains(line.fields[1]) {
            Issue.record("\(line.place): the API has no code \(line.fields[1])")
        }
    }

    @Test("A test is found by its whole title, also on a line of its own, and nothing else is taken for one")
    func finding() {
        let text = """
            @Test("One")
            @Test(
                "Two and more", arguments: [1])
            let text = "Three"
            """
        #expect(Self.hasTest("One", in: text) && Self.hasTest("Two and more", in: text))
        for title in ["Two", "Three", "one", ""] { #expect(!Self.hasTest(title, in: text), "\(title)") }
    }
}
