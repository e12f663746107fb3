import Foundation
import Testing

@Suite("fanfare store", .serialized)
struct StoreCommandTests {
    @Test("The layout of a new store is the newest; raising it again changes nothing, and is in the audit log")
    func upgrade() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let audit = commands.folder.appending(path: "audit.ndjson")
        let environment = ["FANFARE_AUDIT_FILE": audit.path]
        let json = try await commands.run("store", "upgrade", "--json", environment: environment)
        #expect(json.status == 0 && json.output == "{\"layout\":3,\"before\":3}\n", "\(json.errors)")
        // The first command that makes a store where there was none says so, and where.
        let data = commands.folder.appending(path: "data").path
        #expect(json.errors.contains("created a new store in \(data)"), "\(json.errors)")
        let text = try await commands.run("store", "upgrade", environment: environment)
        #expect(!text.errors.contains("created a new store"))
        #expect(text.status == 0 && text.output == "the store already has layout 3\n", "\(text.errors)")
        let records = try String(contentsOf: audit, encoding: .utf8).split(separator: "\n")
        #expect(records.count == 2 && records.allSatisfy { $0.contains("store upgrade") && $0.contains("layout=3") })
    }
}
