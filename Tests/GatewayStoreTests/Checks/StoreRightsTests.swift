import Foundation
import RedisClient
import Testing

@testable import GatewayStore

@Suite("The rights that the gateway needs")
struct StoreRightsTests {
    /// Commands whose rights are not checked. Those of the handshake, of a cluster and of sentinels fail visibly.
    /// Questions may be refused, and the others serve only a recount.
    private static let exempt: Set = [
        "AUTH", "HELLO", "SELECT", "SCRIPT", "ACL", "INFO", "CONFIG", "ASKING", "CLUSTER", "WAIT", "WAITAOF", "SCAN",
        "SENTINEL",
    ]

    private static func commands(in text: String) -> Set<String> {
        let patterns = [#/p?call\('([A-Z]+)'/#, #/RedisCommand(?:Builder)?\(\s*"([A-Z]+)"/#]
        return Set(patterns.flatMap { text.matches(of: $0).map { String($0.output.1) } })
    }

    @Test("All commands in scripts and sources are asked for, and no others")
    func complete() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardizedFileURL
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        var used: Set<String> = ["EVAL", "EVALSHA"]
        let isSource = { (path: String) in path.hasSuffix(".swift") || path.hasSuffix(".lua") }
        // A restore is no gateway's, and wants a user with all rights.
        let others = ["IO/RedisServerProcess/", "Command/fanfare/Backup/"]
        for path in paths where isSource(path) && !others.contains(where: path.hasPrefix) {
            used.formUnion(Self.commands(in: try String(contentsOf: sources.appending(path: path), encoding: .utf8)))
        }
        let asked = Set(GatewayStore.rights.samples.map { $0[0] })
        #expect(asked.count == GatewayStore.rights.samples.count)
        #expect(used.count > 40)
        #expect(used.subtracting(asked).subtracting(Self.exempt) == [], "used, not asked for")
        #expect(asked.subtracting(used) == [], "asked for, not used")
    }

    @Test("docs/redis.md names exactly the needed rights, and the optional commands")
    func guide() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/redis.md")
        let guide = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let rules = GatewayStore.rights.rules
        #expect(rules.count > 60 && rules.contains("+script|load") && rules.contains("+xgroup|create"))
        let command =
            "ACL SETUSER fanfare on >PASSWORD resetkeys ~fanfare:* nocommands \(rules.joined(separator: " "))\n"
        #expect(guide.contains(command), "this is it now: \(command)")
        for name in Self.exempt.subtracting(["AUTH", "SCRIPT"]) {
            #expect(guide.contains(" `+\(name.lowercased())"), "\(name) is not named")
        }
    }

    @Test("The look for commands sees both spellings, and over the end of a line")
    func look() {
        #expect(Self.commands(in: "redis.call('XADD', k) redis.pcall('GET') call('DEL')") == ["XADD", "GET", "DEL"])
        #expect(Self.commands(in: "RedisCommand(\n   \"HGET\", k) RedisCommandBuilder(\"DEL\")") == ["HGET", "DEL"])
    }

    @Test("The server takes each sample for a call of its command, and none of them leaves a key")
    func samples() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            for sample in GatewayStore.rights.samples {
                let asked = RedisCommand("ACL", arguments: ["DRYRUN", "default"] + sample)
                let answer = await stage.redis.call(asked)
                #expect((try? answer.get())?.string == "OK", "\(sample): \(answer)")
            }
            let left = try await stage.keys("*")
            #expect(left.isEmpty)
        }
    }
}
