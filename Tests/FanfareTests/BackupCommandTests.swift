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

    /// Returns each of Fanfare's keys in Redis with the digest of its value, and a mark if it expires.
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
        #expect(again.status == 1 && again.errors.contains("copy.rdb exists already"), "\(again.errors)")

        let (second, other) = try await there.startRedis(arguments: ["--enable-debug-command", "yes"])
        defer { second.end() }
        let restored = try await there.run("restore", copy, "--json", environment: other)
        let kept = try contents(here)
        #expect(restored.output == "{\"keys\":\(kept.count),\"foreign_keys\":1}\n", "\(restored.errors)")
        #expect(try contents(there) == kept && kept.count > 5)
        let listed = try await there.run("tenant", "list", environment: other)
        #expect(listed.output.contains("shop"), "\(listed.errors)")
        let refused = try await there.run("restore", copy, environment: other)
        #expect(refused.status == 1 && refused.errors.contains("the Redis already has a store"))
    }

    @Test(
        "A store in another database, by a link to its copy; a copy without one is refused, and of two it is said which"
    )
    func databases() async throws {
        let (here, there) = (try CommandLine(), try CommandLine())
        defer { [here, there].forEach { $0.remove() } }
        let (first, environment) = try await here.startRedis()
        defer { first.end() }
        let (second, other) = try await there.startRedis()
        defer { second.end() }
        let third = environment.mapValues { "\($0)?db=3" }
        let created = try await here.run("tenant", "create", "shop", environment: third)
        #expect(created.status == 0, "\(created.errors)")
        _ = try redis(here, "SET other 1")
        #expect(try await here.run("backup", "copy.rdb", environment: third).status == 0)
        let copy = here.folder.appending(path: "copy.rdb").path
        try FileManager.default.createSymbolicLink(
            atPath: here.folder.appending(path: "latest.rdb").path, withDestinationPath: "copy.rdb")
        let link = here.folder.appending(path: "latest.rdb").path
        let restored = try await there.run("restore", link, environment: other)
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try await there.run("tenant", "list", environment: other).output.contains("shop"))
        // A broken-off restore leaves a mark, and its keys are no store.
        #expect(try redis(there, "EXISTS fanfare:restoring") == "0\n")
        for words in ["FLUSHALL", "SET fanfare:restoring 1", "SET fanfare:{half} 1"] { _ = try redis(there, words) }
        #expect(try await there.run("restore", copy, environment: other).status == 0)
        #expect(try redis(there, "EXISTS 'fanfare:{half}' fanfare:restoring") == "0\n")
        _ = try redis(there, "FLUSHALL")
        _ = try redis(here, "SET fanfare:x 1")
        #expect(try await here.run("backup", "two.rdb", environment: third).status == 0)
        let two = here.folder.appending(path: "two.rdb").path
        let unclear = try await there.run("restore", two, environment: other)
        #expect(unclear.status == 1 && unclear.errors.contains("in the databases 0, 3"), "\(unclear.errors)")
        let said = try await there.run("restore", two, "--database", "3", environment: other)
        #expect(said.status == 0, "\(said.errors)")
        for words in ["FLUSHALL", "SET other 1"] { _ = try redis(here, words) }
        let foreign = here.folder.appending(path: "none.rdb").path
        _ = try redis(here, "--rdb \(foreign)")
        _ = try redis(there, "FLUSHALL")
        let none = try await there.run("restore", foreign, environment: other)
        #expect(none.status == 1 && none.errors.contains("the copy has no Fanfare store"), "\(none.errors)")
        #expect(try redis(there, "DBSIZE") == "0\n")
    }

    @Test("A Redis without a store is not copied: the failure names the database and the number of its keys")
    func nothingToCopy() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (server, environment) = try await commands.startRedis()
        defer { server.end() }
        _ = try redis(commands, "-n 3 MSET one 1 two 2")
        // A gateway beside an emptied Redis has left its layout number.
        _ = try redis(commands, "-n 4 SET fanfare:layout 3")
        for (database, count) in [(0, "0 keys"), (3, "2 keys"), (4, "1 key")] {
            let other = environment.mapValues { "\($0)?db=\(database)" }
            let result = try await commands.run("backup", "copy.rdb", environment: other)
            #expect(result.status == 1 && result.errors.contains("database \(database) of unix://"), "\(result.errors)")
            #expect(result.errors.contains("no Fanfare tenant, and \(count): nothing"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "copy.rdb").path))
    }

    @Test("Commands that read leave an empty Redis empty, and a restore goes on there")
    func readingWritesNothing() async throws {
        let (here, there) = (try CommandLine(), try CommandLine())
        defer { [here, there].forEach { $0.remove() } }
        let (first, environment) = try await here.startRedis()
        defer { first.end() }
        #expect(try await here.run("tenant", "create", "shop", environment: environment).status == 0)
        #expect(try await here.run("backup", "copy.rdb", environment: environment).status == 0)
        let (mock, provider) = try await there.startMock()
        defer { mock.terminate() }
        let (second, address) = try await there.startRedis()
        defer { second.end() }
        let other = provider.merging(address) { $1 }
        for words in [
            ["tenant", "list"], ["tenant", "show", "shop"], ["operator", "list"], ["doctor"], ["check-config"],
            ["backup", "none.rdb"],
        ] {
            _ = try await there.start(words, environment: other).ended()
            #expect(try redis(there, "DBSIZE") == "0\n", "\(words)")
        }
        let copy = here.folder.appending(path: "copy.rdb").path
        let restored = try await there.run("restore", copy, environment: other)
        #expect(restored.status == 0, "\(restored.errors)")
    }

    @Test("A command that reads makes no private store")
    func noStoreToRead() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for words in [["tenant", "list"], ["operator", "list"]] {
            let result = try await commands.start(words).ended()
            #expect(result.status == 1 && result.errors.contains("data has no store"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "data").path))
    }

    @Test("Whoever breaks a restore off finds no process and no copy left")
    func brokenOff() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (redis, given) = try await commands.startRedis()
        defer { redis.end() }
        let server = commands.folder.appending(path: "slow-redis")
        let number = commands.folder.appending(path: "slow-redis.pid")
        try "#!/bin/sh\necho $$ > \(number.path)\nexec sleep 600\n".write(to: server, atomically: true, encoding: .utf8)
        #expect(chmod(server.path, 0o700) == 0)
        let temporary = commands.folder.appending(path: "tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        try "REDIS".write(to: commands.folder.appending(path: "copy.rdb"), atomically: true, encoding: .utf8)
        let environment = given.merging(
            ["FANFARE_REDIS_SERVER_PATH": server.path, "TMPDIR": temporary.path]) { $1 }
        let restore = try commands.start(["restore", "copy.rdb"], environment: environment)
        defer { restore.terminate() }
        let end = ContinuousClock.now + .seconds(60)
        var process: pid_t?
        while process == nil {
            try #require(ContinuousClock.now < end && restore.process.isRunning)
            process = pid_t(
                (try? String(contentsOf: number, encoding: .utf8))?.trimmingCharacters(in: .newlines) ?? "")
        }
        restore.terminate()
        let result = try await restore.ended()
        #expect(result.status == 1 && result.errors.contains("interrupted by SIGTERM"), "\(result.errors)")
        #expect(kill(process ?? 0, 0) != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
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
        let counted = try #require(restored.output.firstMatch(of: /^([0-9]+) keys restored/)).1
        let shown = try Regex("copy\\.rdb +\(counted) in ")
        #expect(restored.status == 0 && restored.errors.contains(shown), "\(restored.errors)")
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
        #expect(nowhere.status == 1 && nowhere.errors.contains("does not exist; create it"), "\(nowhere.errors)")
        #expect(
            nowhere.errors.contains("/none does not exist") && !nowhere.errors.contains("Redis"), "\(nowhere.errors)")
        let away = try await commands.run(
            "backup", "copy.rdb", environment: ["FANFARE_REDIS_URL": "redis://127.0.0.1:9"])
        #expect(away.status == 1, "\(away.output)")
        let none = try await commands.run("backup", "copy.rdb")
        #expect(none.status == 1 && none.errors.contains("data has no store"), "\(none.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: commands.folder.path)
        #expect(!left.contains { $0.contains("copy") || $0 == "data" }, "\(left)")
    }
}
