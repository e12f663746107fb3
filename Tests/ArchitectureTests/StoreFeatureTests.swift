import Foundation
import Testing

/// Features of the store stay small and use only the features that they are given.
@Suite("Features of the store")
struct StoreFeatureTests {
    /// Returns the number of lines of each type of a target, with its extensions.
    private static func lines(of texts: [String]) -> [String: Int] {
        var lines: [String: Int] = [:]
        for text in texts {
            var open: (name: String, first: Int)?
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if let found = line.firstMatch(of: /^(?:\w+ )*(?:extension|class|struct|enum|actor) (\w+)/) {
                    open = (String(found.1), number)
                }
                if let type = open, line.hasPrefix("}") || (number == type.first && line.hasSuffix("}")) {
                    lines[type.name, default: 0] += number - type.first + 1
                    open = nil
                }
            }
        }
        return lines
    }

    private static let most = 600

    @Test("No type of the store has more than 600 lines with all its extensions")
    func sizes() throws {
        let files = try SourceFile.all(of: Manifest.package.get()).filter { $0.target.name == "GatewayStore" }
        // The functions of the scripts are generated.
        let lines = Self.lines(of: files.map(\.text).filter { !$0.hasPrefix("// Written by") })
        #expect(lines.count > 80)
        for (type, count) in lines where count > Self.most {
            Issue.record("\(type) has \(count) lines: take a feature out of it")
        }
    }

    @Test("Lines of a type are counted wherever its extensions stand")
    func counting() {
        let texts = [
            "final class A {\n    let a = 1\n}\n\nextension B {}\n", "extension A {\n    struct B {\n    }\n}\n",
        ]
        #expect(Self.lines(of: texts) == ["A": 7, "B": 1])
    }

    @Test("Each feature that has scripts or keys names them in its own folder")
    func folders() throws {
        let root = Manifest.root
        let store = try #require(try Manifest.package.get().target("GatewayStore")?.folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: store).path)
        let withScripts = Set(files.filter { $0.hasSuffix(".lua") }.map { String($0.prefix { $0 != "/" }) })
        #expect(withScripts.count > 10)
        for feature in withScripts where feature != "Layout" {
            #expect(files.contains("\(feature)/Scripts+\(feature).swift"), "\(feature) does not name its scripts")
        }
        for file in files where file.hasSuffix(".swift") && !file.hasSuffix("Layout/Keys.swift") {
            let name = file.split(separator: "/").last ?? ""
            guard name.hasPrefix("Keys+") || name.hasPrefix("Scripts+") else { continue }
            let feature = file.prefix { $0 != "/" }
            #expect(name.hasSuffix("+\(feature).swift"), "\(file) belongs to another feature")
        }
    }
}
