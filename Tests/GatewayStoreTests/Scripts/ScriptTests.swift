import Foundation
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Scripts of the store")
struct ScriptTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Store/GatewayStore").standardizedFileURL

    /// The Lua files, by their names without the ending.
    private func files() throws -> [String: String] {
        let paths = FileManager.default.enumerator(atPath: Self.sources.path)?.compactMap { $0 as? String } ?? []
        var files: [String: String] = [:]
        for path in paths where path.hasSuffix(".lua") {
            let url = Self.sources.appending(path: path)
            files[url.deletingPathExtension().lastPathComponent] = try String(contentsOf: url, encoding: .utf8)
        }
        return files
    }

    @Test("The executable holds every Lua file of the store, under the file's name")
    func embedded() throws {
        let files = try files()
        #expect(files.count > 80)
        let embedded = ScriptLibrary.embedded.files
        #expect(Set(files.keys) == Set(embedded.keys))
        for (name, text) in files { #expect(embedded[name].map { text.hasSuffix($0.code) } == true, "\(name)") }
    }

    @Test("Every script has one name in Swift, and every part is part of a script")
    func names() throws {
        let library = ScriptLibrary.embedded
        let lists = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path).filter {
            $0.split(separator: "/").last?.hasPrefix("Scripts+") == true
        }
        let named = try lists.flatMap { list in
            let text = try String(contentsOf: Self.sources.appending(path: list), encoding: .utf8)
            return text.matches(of: /embedded\["([a-z-]+)"\]/).map { String($0.1) }
        }
        #expect(named.sorted() == library.scripts.keys.sorted())
        let included = Set(library.files.values.flatMap(\.includes))
        for file in library.files.values where file.kind == .part { #expect(included.contains(file.name)) }
    }

    @Test("Redis takes every script, and knows it by the digest by which it is called")
    func parse() async throws {
        try await StoreStage.run { stage in
            for script in Scripts.all {
                let digest = try await stage.store.value(RedisCommand("SCRIPT", "LOAD", script.source)).string
                #expect(digest == script.digest, "\(script)")
            }
        }
    }

    private static let readingCommands: Set = [
        "EXISTS", "GET", "GETBIT", "GETRANGE", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "LINDEX", "LLEN",
        "LRANGE", "PTTL", "STRLEN", "TIME", "XLEN", "XPENDING", "XRANGE", "ZCARD", "ZCOUNT", "ZRANGE", "ZRANGEBYSCORE",
        "ZSCORE",
    ]

    @Test("A script's head and its name say whether it writes")
    func writes() {
        let library = ScriptLibrary.embedded
        for script in Scripts.all {
            let calls = script.source.matches(of: /redis\.call\(/).count
            let commands = script.source.matches(of: /redis\.call\(\s*'([A-Z]+)'/).map { String($0.1) }
            #expect(calls == commands.count && calls > 0, "\(script) makes up a command's name")
            let writes = !Self.readingCommands.isSuperset(of: commands)
            let kind = library.files[script.name]?.kind
            #expect(kind == (writes ? .writes : .reads), "\(script)")
            let verb = String(script.name.prefix { $0 != "-" })
            #expect(["count", "find", "has", "read"].contains(verb) == !writes, "\(script)")
        }
    }

    @Test(
        "Every script's head says what it is for, what it takes and what it replies, and its code names values and states"
    )
    func heads() throws {
        let files = try files()
        for file in ScriptLibrary.embedded.files.values {
            let text = try #require(files[file.name])
            let head = text.dropLast(file.code.count)
            #expect(head.split(separator: "\n").count > 2, "\(file.name)")
            let positions = file.code.matches(of: /(KEYS|ARGV)\[\d/).map { $0.0 }
            #expect(positions.isEmpty, "\(file.name)")
            let numbers = file.code.matches(of: /\b(status|is|becomes|state|mark) *(==|~=|<|>=) *'?\d/).map { $0.0 }
            #expect(numbers.isEmpty, "\(file.name)")
            guard file.kind != .part else { continue }
            #expect(head.contains("\n-- Reply: "), "\(file.name)")
            #expect(!file.keys.isEmpty, "\(file.name)")
        }
    }
}
