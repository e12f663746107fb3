import Foundation
import Testing

@Suite("fanfare serve and its companions", .serialized)
struct ServeCommandTests {
    @Test("A gateway with a private Redis against the mock: ready, a tenant, SIGTERM, exit 0, data kept")
    func wholeStory() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        environment["FANFARE_LOG_FORMAT"] = "json"
        // A key from before, which every user may read.
        let data = commands.folder.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 32).write(to: data.appending(path: "webhooks.key"))
        #expect(chmod(data.path, 0o755) == 0 && chmod(data.appending(path: "webhooks.key").path, 0o644) == 0)
        let (serve, log, _) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        #expect(log.contains("private redis-server started"))
        for case let name as String in FileManager.default.enumerator(atPath: data.path) ?? .init() {
            let attributes = try FileManager.default.attributesOfItem(atPath: data.appending(path: name).path)
            let mode = (attributes[.posixPermissions] as? Int) ?? 0o777
            #expect(mode & 0o077 == 0, "\(name) has \(String(mode, radix: 8))")
        }
        #expect(FileManager.default.fileExists(atPath: data.appending(path: "redis.sock").path))
        // New files are private in every directory.
        let status = try String(contentsOfFile: "/proc/\(serve.process.processIdentifier)/status", encoding: .utf8)
        #expect(status.contains("Umask:\t0077"))

        // Reaches the same private Redis, which the gateway holds.
        let created = try await commands.run("tenant", "create", "shop", "--json", environment: environment)
        #expect(created.status == 0, "\(created.errors)")
        for field in ["tenant_id", "api_key", "sdk_key", "identity_secret"] { #expect(created.output.contains(field)) }

        // A reload does not end the gateway, and reports only changes.
        kill(serve.process.processIdentifier, SIGHUP)
        #expect(try await serve.said("configuration reloaded"))
        #expect(try !String(contentsOf: serve.errors, encoding: .utf8).contains("configuration changes need a restart"))
        serve.process.terminate()
        let stopped = try await serve.ended()
        #expect(stopped.status == 0, "\(stopped.errors)")
        // The Redis has ended, so the command starts it and finds the data.
        let listed = try await commands.run("tenant", "list", environment: environment)
        #expect(listed.output.contains("shop"), "\(listed.errors)")
        mock.process.terminate()
        #expect(try await mock.ended().status == 0)
        #expect(FileManager.default.fileExists(atPath: commands.folder.appending(path: "apns/ledger.ndjson").path))
    }

    @Test("SIGHUP changes the log's level, names what needs a restart, and leaves all as it was when it cannot be used")
    func reload() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let file = commands.folder.appending(path: "fanfare.yaml")
        func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }
        try write("log: {level: notice}\nshutdown: {timeout: 20s}\n")
        let serve = try commands.start(["serve", "--config", file.path], environment: environment)
        defer { serve.terminate() }
        #expect(try await serve.said("listening"))
        func log() throws -> String { try String(contentsOf: serve.errors, encoding: .utf8) }
        let port = try #require(try log().firstMatch(of: /http:\/\/127\.0\.0\.1:([1-9][0-9]*)/)).1
        let tenant = try await commands.run(
            "tenant", "create", "shop", "--json", "--config", file.path, environment: environment)
        let key = try #require(tenant.output.firstMatch(of: /"api_key":"([^"]*)"/)).1
        func ask(_ id: String) throws {
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = [
                "curl", "-sf", "-o", "/dev/null", "-H", "X-Api-Key: \(key)", "-H", "X-Request-Id: \(id)",
                "http://127.0.0.1:\(port)/api/v1/limits",
            ]
            try curl.run()
            curl.waitUntilExit()
            #expect(curl.terminationStatus == 0)
        }
        try ask("before")
        try write("log: {level: info}\nshutdown: {timeout: 21s}\nevents: {ca_file: apns/ca.pem}\n")
        kill(serve.process.processIdentifier, SIGHUP)
        #expect(try await serve.said("configuration changes need a restart"))
        #expect(try log().contains("keys=shutdown.timeout\n"))
        #expect(try log().contains("changed=events.ca_file, log.level\n"))
        try ask("after")
        #expect(try await serve.said("request_id=after"))
        #expect(try !log().contains("request_id=before"))
        try write("log: {level: loud}\n")
        kill(serve.process.processIdentifier, SIGHUP)
        #expect(try await serve.said("configuration invalid, previous one stays in force"))
        try ask("still")
        #expect(try await serve.said("request_id=still"))
        serve.process.terminate()
        #expect(try await serve.ended().status == 0)
    }

    @Test("SIGHUP has pushes signed with another key: a refused one gives way to a good one, without a restart")
    func reloadedKey() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        for name in ["KEY_FILE", "KEY_ID"] { environment["FANFARE_APNS_\(name)"] = nil }
        let file = commands.folder.appending(path: "fanfare.yaml")
        func write(_ name: String, id: String) throws {
            let text = "apns: {key_file: apns/\(name), key_id: \(id)}\n"
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        try write("key.p8", id: "WRONGKEYID")
        let serve = try commands.start(["serve", "--config", file.path], environment: environment)
        defer { serve.terminate() }
        #expect(try await serve.said("provider refuses the credential, pushes paused"))
        let id = try String(contentsOf: commands.folder.appending(path: "apns/second_key_id"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try write("second-key.p8", id: id)
        kill(serve.process.processIdentifier, SIGHUP)
        #expect(try await serve.said("provider accepts the credential"))
        let log = try String(contentsOf: serve.errors, encoding: .utf8)
        #expect(log.contains("changed=apns.key_file, apns.key_id\n"))
        #expect(log.contains("key=\(id)"))
        #expect(!log.contains("configuration changes need a restart"))
        serve.process.terminate()
        #expect(try await serve.ended().status == 0)
    }

    /// An operator forgets users of a tenant whose own keys do not open that any more.
    private func eraseUser(_ commands: CommandLine, _ user: String, _ udid: String) async throws {
        #expect(try await commands.run("tenant", "disable", "shop").status == 0)
        func erase(_ arguments: String...) async throws -> String {
            let result = try await commands.start(["tenant", "erase-user", "shop"] + arguments).ended()
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        let rest = "; the gateways erase the remaining data\n"
        #expect(try await erase(user) == "erased: the user, 1 device\(rest)")
        let unknown = try await erase(user)
        #expect(unknown == "the user is unknown: check insider_id; the gateways erase other data under this name\n")
        #expect(try await erase("u2", "--udid", udid) == "erased: the user, 1 device\(rest)")
        #expect(try await commands.run("tenant", "erase-user", "shop", "").status == 64)
    }

    @Test("Devices are imported from a file; a broken line names its number")
    func importing() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let created = try await commands.run("tenant", "create", "shop", "--json")
        let id = try #require(created.output.split(separator: "\"").dropFirst(3).first.map(String.init))
        func line(_ number: Int) -> String {
            """
            {"insider_id":"u\(number)","udid":"d\(number)","platform":"ios","os_version":"18.0","push_opt_in":true,\
            "gdpr_consent":true,"environment":"production","push_to_start_token":"ab\(number % 10)0"}
            """
        }
        let good = (0..<5000).map(line).joined(separator: "\n")
        let file = commands.folder.appending(path: "devices.ndjson")
        try good.write(to: file, atomically: true, encoding: .utf8)
        let result = try await commands.run("devices", "import", "devices.ndjson", "--tenant", id, "--json")
        let report = #"{"imported":5000,"refused":0,"reasons":[],"unused_columns":[]}"#
        #expect(result.output == report + "\n", "\(result.errors)")
        try await eraseUser(commands, "u1", "d2")
        try "\(line(1))\n\(line(2))\n{\"insider_id\":7}\n".write(to: file, atomically: true, encoding: .utf8)
        let broken = try await commands.run("devices", "import", "devices.ndjson", "--tenant", id)
        #expect(broken.status == 1)
        #expect(broken.errors.contains("line 3") && broken.errors.contains("insider_id"), "\(broken.errors)")
        let stranger = try await commands.run("devices", "import", "devices.ndjson", "--tenant", "nobody")
        #expect(stranger.status == 1 && stranger.errors.contains("the tenant nobody does not exist"))
    }

    @Test("Without credentials serve and check-config say what to set and what to try instead; the store is there")
    func withoutCredentials() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let serve = try await commands.run("serve")
        let check = try await commands.run("check-config")
        #expect(serve.status == 1 && check.status == 1)
        for key in ["key_file", "key_id", "team_id", "bundle_id"] {
            #expect(serve.errors.contains("apns.\(key)") && check.output.contains("apns.\(key)"))
        }
        for way in ["fanfare demo", "fanfare mock-apns"] {
            #expect(serve.errors.contains(way) && check.output.contains(way))
        }
        #expect(!check.output.contains("can start"))
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "data").path))
        let created = try await commands.run("tenant", "create", "a")
        #expect(created.status == 0, "\(created.errors)")
    }

    @Test("check-config names what is wrong, and touches nothing")
    func checkConfig() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let wrong = try await commands.run("check-config", environment: ["FANFARE_HTTP_PORT": "seventy"])
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("http.port") && wrong.output.contains("FANFARE_HTTP_PORT"), "\(wrong.output)")
        let shown = try await commands.run("check-config", "--show")
        #expect(shown.output.contains("rate_limit.requests_per_minute"))
        let several = ["FANFARE_REDIS_URL": "redis://a:6379,redis://b:6379"]
        let explained = try await commands.run("check-config", environment: several)
        #expect(explained.output.contains("note: redis.url names several places: "), "\(explained.output)")
        #expect(!shown.output.contains("note:"))
        let left = try FileManager.default.contentsOfDirectory(atPath: commands.folder.path)
        #expect(left.allSatisfy { $0.hasSuffix(".out") || $0.hasSuffix(".err") || $0 == "config" })
    }
}
