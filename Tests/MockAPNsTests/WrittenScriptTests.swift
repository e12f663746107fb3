import Foundation
import Testing

@testable import MockAPNs

/// The scripts in other parts of the project, and the page that describes them.
@Suite("Scripts as written")
struct WrittenScriptTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    static func page(_ path: String) throws -> String {
        try String(contentsOf: project.appending(path: path), encoding: .utf8)
    }

    /// Returns the part of docs/mocks.md about the APNs mock.
    static func ownPage() throws -> String {
        try #require(page("docs/mocks.md").components(separatedBy: "\n## The mock of FCM\n").first)
    }

    /// Returns the keys in the tables under `## Scripts` of docs/mocks.md, by the heading above them.
    private static func describedKeys() throws -> [String: [String]] {
        let page = try ownPage()
        let scripts = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("Scripts\n") })
        var keys: [String: [String]] = [:]
        for section in scripts.components(separatedBy: "\n### ").dropFirst() {
            let lines = section.split(separator: "\n")
            let heading = String(lines[0].filter { $0 != "`" })
            keys[heading == "The script" ? "" : heading] = lines.compactMap { line in
                line.prefixMatch(of: /\| `([a-z_]+)` \|/).map { String($0.1) }
            }
        }
        return keys
    }

    @Test("The page describes every key that is read, where it is read, and no other")
    func keys() throws {
        let described = try Self.describedKeys()
        #expect(Set(described.keys) == Set(MockScript.keysByPlace.keys))
        for (place, keys) in MockScript.keysByPlace {
            #expect(described[place] == keys, "\(place)")
        }
    }

    @Test("Every key that is described is taken, and one with a letter more is not")
    func misspelling() throws {
        for (place, keys) in try Self.describedKeys() {
            for key in keys {
                let nearly = try Self.error(for: key + "x", at: place)
                #expect(nearly.hasSuffix("\(key)x: unknown; did you mean \"\(key)\"?"), "\(nearly)")
                let known = try Self.error(for: key, at: place)
                #expect(!known.contains("\(key): unknown"), "\(known)")
            }
        }
    }

    /// Returns the error for a key with the value null, which no key accepts.
    private static func error(for key: String, at place: String) throws -> String {
        var json = #"{"\#(key)": null}"#
        for part in place.split(separator: ".").reversed() {
            json = part.hasSuffix("[]") ? #"{"\#(part.dropLast(2))": [\#(json)]}"# : #"{"\#(part)": \#(json)}"#
        }
        do {
            _ = try MockScript(json: Array(json.utf8))
            return ""
        } catch {
            return error.description
        }
    }

    @Test("The scripts in the documents are read", arguments: ["docs/mocks.md", "docs/first-hour.md"])
    func documents(path: String) throws {
        let page = path == "docs/mocks.md" ? try Self.ownPage() : try Self.page(path)
        let blocks = page.matches(of: /```json\n(.*?)\n```/.dotMatchesNewlines()).map { String($0.1) }
        let written = page.matches(of: /echo '(\{.*?\})' > provider\.json/).map { String($0.1) }
        #expect(!(blocks + written).isEmpty)
        for script in blocks + written {
            #expect(throws: Never.self, "\(script)") { try MockScript(json: Array(script.utf8)) }
        }
    }

    @Test(
        "So are those of the chaos harness and of the benchmark",
        arguments: [
            (
                "chaos",
                """
                from harness import script
                from harness.people import People
                for quiet in (False, True):
                    first = script.provider_script(People(200, "1"), is_quiet=quiet)
                    changes = [script.brownout(first, draw / 100)[1] for draw in range(100)]
                    changes += [script.sick_connection(first, draw / 100, 6)[1] for draw in range(100)]
                    scripts += [first] + [first | change for change in [*changes, script.silence(first)]]
                """
            ),
            (
                "loadtest",
                """
                from bench import figures_scale, figures_gateway
                scripts += [figures_scale.bounded(latency)["script"] for latency in (50, 100)]
                scripts += [{"latency": {"fixed_ms": figures_gateway.LATENCY}}]
                """
            ),
        ])
    func harness(folder: String, code: String) throws {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = [
            "python3", "-B", "-c", "import json\nscripts = []\n\(code)\nfor each in scripts: print(json.dumps(each))",
        ]
        python.currentDirectoryURL = Self.project.appending(path: folder)
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let lines = try #require(try output.fileHandleForReading.readToEnd()).split(separator: UInt8(ascii: "\n"))
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
        #expect(lines.count > 2)
        for line in lines {
            #expect(throws: Never.self, "\(String(decoding: line, as: UTF8.self).suffix(400))") {
                try MockScript(json: Array(line))
            }
        }
    }
}
