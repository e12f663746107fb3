import Foundation
import Testing

@testable import APIDocument

/// The map in `Tests/Contract` says which test holds which item; the document says which items there are.
@Suite("The document in the contract's map")
struct ContractMapTests {
    @Test("Every field and parameter of the document stands in the contract's map")
    func items() throws {
        let held = try Self.namesInMap()
        let document = try APIDocument()
        var missing: Set<String> = []
        for operation in document.operations {
            var collector = FieldCollector(root: document.root)
            collector.collect(operation)
            for name in collector.names where !held.contains(name) {
                missing.insert("\(name) of \(operation.method) \(operation.path)")
            }
        }
        #expect(missing.isEmpty, "\(missing.sorted())")
        #expect(!held.contains("no_such_field"))
    }

    /// The words that the names of items consist of: `schedule.name` holds `name`.
    private static func namesInMap() throws -> Set<String> {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Contract")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.first != "#" {
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
                guard columns.count == 4 else { continue }
                let words = columns[1].split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                names.formUnion(words.map(String.init))
            }
        }
        return names
    }
}

/// The names of what an operation takes and of what it answers when all is well.
private struct FieldCollector {
    let root: DocumentValue
    private(set) var names: Set<String> = []

    init(root: DocumentValue) {
        self.root = root
    }

    mutating func collect(_ operation: APIDocument.Operation) {
        for parameter in operation.value["parameters"]?.elements ?? [] {
            if let name = parameter.resolved(in: root)["name"]?.string { names.insert(name) }
        }
        collectContent(operation.value["requestBody"])
        for (status, response) in operation.value["responses"]?.members ?? [] where status.hasPrefix("2") {
            collectContent(response)
        }
    }

    private mutating func collectContent(_ holder: DocumentValue?) {
        for (_, media) in holder?.resolved(in: root)["content"]?.members ?? [] {
            if let schema = media["schema"] { collectSchema(schema, depth: 0) }
        }
    }

    private mutating func collectSchema(_ schema: DocumentValue, depth: Int) {
        // Deeper than any body; a schema may contain itself.
        guard depth < 12 else { return }
        let schema = schema.resolved(in: root)
        for (name, property) in schema["properties"]?.members ?? [] {
            names.insert(name)
            collectSchema(property, depth: depth + 1)
        }
        if let items = schema["items"] { collectSchema(items, depth: depth + 1) }
    }
}
