import Foundation
import Testing

@Suite("fanfare backup and restore")
struct BackupCommandTests {
    private static let phone = """
        {"insider_id":"ann","udid":"d","platform":"ios","os_version":"18.0","push_opt_in":true,"gdpr_consent":true,\
        "environment":"production"}

        """

    private func redis(_ commands: CommandLine, _ words: String) throws -> String {
        let socket = commands.folder.appending(path: "redis.sock").path
        return try Program.run("/bin/sh", "-c", "redis-cli -s \(socket) \(words)").output
    }

    /// What a Redis holds: each of Fanfare's keys, what it is worth, and whether it has an end.
    private func contents(_ commands: CommandLine) throws -> [String: String] {
        let keys = try redis(commands, "--scan --pattern 'fanfare:*'").split(separator: "\n").map(String.init)
        return try Dictionary(
            uniqueKeysWithValues: keys.map { key in
                let end = try redis(commands, "PTTL '\(key)'").hasPrefix("-1") ? "" : " until"
                return (key, try redis(commands, "DEBUG DIGEST-VALUE '\(key)'") + end)
            })
    }

    @Test("What a backup has of one Redis a restore brings into another, and into none that has a store")
    func roundTrip() async throws {
        let (here, there) = (try CommandLine(), try CommandLine())
        defer { [here, there].forEach { $0.remove() } }
        let (first, environment) = try await here.startRedis(arguments: ["--enable-debug-command", "yes"])
        defer { first.end() }
        let created = try await here.run("tenant", "create", "shop", "--json", environment: environment)
        #expect(created.status == 0, "\(created.errors)")
        try Self.phone.write(to: here.folder.appending(path: "phones.ndjson"), atomically: true, encoding: .utf8)
        let imported = try await here.run(
            "devices", "import", "phones.ndjson", "--tenant", "shop", environment: environment)
        #expect(imported.status == 0, "\(imported.errors)")
        for words in ["SET other 1", "SET 'fanfare:{late}' x PX 600000"] {
            #expect(try redis(here, words) == "OK\n")
        }
        let copied = try await here.run("backup", "copy.rdb", "--json", environment: environment)
        #expect(copied.status == 0 && copied.output.contains(#""unfinished_broadcasts":0"#), "\(copied.errors)")
        let copy = here.folder.appending(path: "copy.rdb").path
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try await here.run("backup", "copy.rdb", environment: environment)
        #expect(again.status == 1 && again.errors.contains("copy.rdb is there already"), "\(again.errors)")

        let (second, other) = try await there.startRedis(arguments: ["--enable-debug-command", "yes"])
        defer { second.end() }
        let restored = try await there.run("restore", copy, "--json", environment: other)
        let kept = try contents(here)
        #expect(restored.output == "{\"keys\":\(kept.count),\"foreign_keys\":1}\n", "\(restored.errors)")
        #expect(try contents(there) == kept && kept.count > 5)
        let listed = try await there.run("tenant", "list", environment: other)
        #expect(listed.output.contains("shop"), "\(listed.errors)")
        let refused = try await there.run("restore", copy, environment: other)
        #expect(refused.status == 1 && refused.errors.contains("there is a store in that Redis already"))
    }

    @Test("The private store is copied, and made anew, whether a gateway runs or not")
    func privateStore() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let created = try await commands.run("tenant", "create", "shop")
        #expect(created.status == 0, "\(created.errors)")
        let copied = try await commands.run("backup", "copy.rdb")
        #expect(copied.status == 0 && copied.output.hasPrefix("copy.rdb: "), "\(copied.errors)")
        let elsewhere = ["FANFARE_REDIS_DATA_DIR": "other"]
        let restored = try await commands.run("restore", "copy.rdb", environment: elsewhere)
        #expect(restored.status == 0 && restored.output.contains("keys restored"), "\(restored.errors)")
        let listed = try await commands.run("tenant", "list", environment: elsewhere)
        #expect(listed.output.contains("shop"), "\(listed.errors)")
    }

    @Test("What is no copy, and what is not there, is refused, and nothing is left behind")
    func refused() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (redis, environment) = try await commands.startRedis()
        defer { redis.end() }
        try "nonsense".write(to: commands.folder.appending(path: "bad.rdb"), atomically: true, encoding: .utf8)
        let bad = try await commands.run("restore", "bad.rdb", environment: environment)
        #expect(bad.status == 1 && bad.errors.contains("bad.rdb cannot be loaded"), "\(bad.errors)")
        let missing = try await commands.run("restore", "none.rdb", environment: environment)
        #expect(missing.status == 1 && missing.errors.contains("none.rdb cannot be read"), "\(missing.errors)")
        let nowhere = try await commands.run("backup", "none/copy.rdb", environment: environment)
        #expect(nowhere.status == 1 && nowhere.errors.contains("gives no copy"), "\(nowhere.errors)")
        let away = try await commands.run(
            "backup", "copy.rdb", environment: ["FANFARE_REDIS_URL": "redis://127.0.0.1:9"])
        #expect(away.status == 1, "\(away.output)")
        let left = try FileManager.default.contentsOfDirectory(atPath: commands.folder.path)
        #expect(!left.contains { $0.contains("copy") }, "\(left)")
    }
}
