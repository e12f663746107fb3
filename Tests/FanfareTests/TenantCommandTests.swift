import Foundation
import Testing

@Suite("fanfare tenant", .serialized)
struct TenantCommandTests {
    private func object(_ result: CommandLine.Result, _ location: SourceLocation = #_sourceLocation) throws -> [String:
        Any]
    {
        #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
        let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(value as? [String: Any], sourceLocation: location)
    }

    private func status(_ path: String, _ header: String, _ key: String, port: String) throws -> String {
        try Program.run(
            "/usr/bin/env", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "\(header): \(key)", "-H",
            "Content-Type: application/json", "-d", "{", "http://127.0.0.1:\(port)\(path)"
        ).output
    }

    @Test("A tenant's whole life by the command line, beside a running gateway: what it says counts there at once")
    func wholeLife() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, given) = try await commands.startMock()
        defer { mock.terminate() }
        let audit = commands.folder.appending(path: "audit.ndjson")
        let environment = given.merging(["FANFARE_AUDIT_FILE": audit.path]) { $1 }
        let (serve, log, port) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        #expect(log.contains("notice fanfare"))
        func customer(_ key: String) throws -> String {
            try status("/api/v1/live-activity/start", "X-Api-Key", key, port: port)
        }
        func device(_ key: String) throws -> String {
            try status("/api/v1/sdk/dismissed", "X-Sdk-Key", key, port: port)
        }

        let created = try object(try await commands.run("tenant", "create", "shop", "--json", environment: environment))
        let id = try #require(created["tenant_id"] as? String)
        let api = try #require(created["api_key"] as? String)
        let sdk = try #require(created["sdk_key"] as? String)
        #expect(Set(created.keys) == ["tenant_id", "api_key", "sdk_key", "identity_secret"])
        #expect(try customer(api) == "400")

        // By name or by id, all the same.
        #expect(try await commands.run("tenant", "set-tier", "shop", "starter", environment: environment).status == 0)
        #expect(try customer(api) == "402")
        #expect(try await commands.run("tenant", "set-tier", id, "growth", environment: environment).status == 0)
        #expect(try await commands.run("tenant", "disable", "shop", environment: environment).status == 0)
        #expect(try customer(api) == "403")
        #expect(try device(sdk) == "202")
        let list = try await commands.run("tenant", "list", environment: environment)
        #expect(list.output == "\(id)  growth  shop  (disabled)\n")
        #expect(try await commands.run("tenant", "enable", "shop", environment: environment).status == 0)
        #expect(try customer(api) == "400")
        #expect(try device(sdk) == "400")

        let fresh = try object(
            try await commands.run(
                "tenant", "rotate-key", "shop", "--overlap", "1h", "--json", environment: environment))
        let second = try #require(fresh["api_key"] as? String)
        #expect(fresh["tenant_id"] as? String == id && fresh["old_valid_until"] is String)
        for key in [api, second] { #expect(try customer(key) == "400") }
        let shown = try object(try await commands.run("tenant", "show", "shop", "--json", environment: environment))
        let keys = try #require(shown["keys"] as? [[String: Any]])
        #expect(keys.compactMap { $0["kind"] as? String } == ["api", "api", "sdk", "identity"])
        #expect(keys.count { $0["valid_until"] != nil } == 1)
        #expect(shown["app"] as? String == "apns" && shown["bundle_id"] as? String == "com.example.fanfare")

        let set = try await commands.run(
            "tenant", "set-limits", "shop", "--sdk-requests-per-minute", "500", "--devices", "off", "--weight", "3",
            "--app-schedules", "off", "--app-schedule-bytes", "2048", "--app-schedules-per-user", "3",
            "--app-schedule-bytes-per-user", "default", environment: environment)
        #expect(set.output.contains("sdk_requests_per_minute: 500\n") && set.output.contains("devices: off\n"))
        #expect(set.output.contains("weight: 3\n"))
        #expect(set.output.contains("app_schedules: off\n") && set.output.contains("app_schedule_bytes: 2048\n"))
        #expect(set.output.contains("app_schedules_per_user: 3\n"))
        #expect(set.output.contains("app_schedule_bytes_per_user: 262144 (default)\n"))
        #expect(
            try await commands.run(
                "tenant", "set-limits", "shop", "--devices", "default", environment: environment
            ).output.contains("devices: 100000000 (default)\n"))
        let limited = try object(try await commands.run("tenant", "show", "shop", "--json", environment: environment))
        let limits = try #require(limited["limits"] as? [String: Int])
        #expect(limits["sdk_requests_per_minute"] == 500 && limits["devices"] == 100_000_000)
        for (option, wrong) in [
            ("--devices-per-user", "off"), ("--devices-per-user", "1000"), ("--users", "many"), ("--weight", "0"),
            ("--devices", "-4"),
        ] {
            let refused = try await commands.run(
                "tenant", "set-limits", "shop", option, wrong, environment: environment)
            #expect(refused.status == 64 && refused.output.isEmpty, "\(refused.errors)")
            #expect(refused.errors.contains(option), "\(refused.errors)")
        }
        #expect(try await commands.run("tenant", "disable", "nobody", environment: environment).status == 1)
        #expect(try await commands.run("tenant", "set-limits", "shop", environment: environment).status == 64)
        let misspelled = try await commands.run("tenant", "set-limits", "shop", "--user", "5", environment: environment)
        #expect(misspelled.status == 64 && misspelled.errors.contains("'--user'"), "\(misspelled.errors)")
        let help = try await commands.run("tenant", "set-limits", "--help", environment: environment).output
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("share of limited resources, from 1 to 100 (default: 1)."), "\(help)")
        #expect(help.contains("SDK requests of a device a minute, from 1 to 1000000 (default: 120)."))

        let last = try await commands.run("tenant", "rotate-key", "shop", "--overlap", "0", environment: environment)
        #expect(last.output.hasPrefix("ffk_") && last.errors.contains("revoked"), "\(last.errors)")
        for key in [api, second] { #expect(try customer(key) == "401") }
        #expect(try customer(last.output.trimmingCharacters(in: .newlines)) == "400")
        for (kind, prefix) in [("sdk", "ffs_"), ("identity", "ffi_")] {
            let rotated = try await commands.run(
                "tenant", "rotate-key", "shop", "--kind", kind, environment: environment)
            #expect(rotated.output.hasPrefix(prefix) && rotated.errors.contains("works until"), "\(rotated.errors)")
        }
        #expect(try device(sdk) == "400")

        let recount = try await commands.run("tenant", "recount", "shop", environment: environment)
        #expect(recount.output.contains("has 0 users and 0 devices; the counts were 0 and 0"), "\(recount.errors)")

        // No secret is in the gateway's log, nor among what the commands show later.
        let end = try await commands.run("tenant", "show", "shop", environment: environment)
        serve.process.terminate()
        let said = try await serve.ended()
        for secret in created.compactMap({ $0.key == "tenant_id" ? nil : $0.value as? String }) + [second] {
            #expect(!said.errors.contains(secret) && !said.output.contains(secret))
            #expect(!end.output.contains(secret) && !list.output.contains(secret))
        }
        // The audit log, which gateway and commands share, has who changed what, and no secret either.
        let lines = try String(contentsOf: audit, encoding: .utf8)
        for secret in created.compactMap({ $0.key == "tenant_id" ? nil : $0.value as? String }) + [second] {
            #expect(!lines.contains(secret))
        }
        let records = try lines.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let named = records.filter { $0["actor_kind"] as? String == "operator" }
        let failed = named.filter { $0["status"] as? Int == 500 }
        #expect(failed.map { $0["object"] as? String } == ["nobody"])
        let byOperator = named.filter { $0["status"] as? Int == 200 }
        #expect(
            byOperator.compactMap { $0["action"] as? String } == [
                "tenant create", "tenant set-tier", "tenant set-tier", "tenant disable", "tenant enable",
                "tenant rotate-key", "tenant set-limits", "tenant set-limits", "tenant rotate-key", "tenant rotate-key",
                "tenant rotate-key", "tenant recount",
            ])
        #expect(byOperator.allSatisfy { $0["tenant_id"] as? String == id })
        #expect(byOperator.allSatisfy { ($0["actor"] as? String)?.isEmpty == false && $0["address"] == nil })
        #expect(byOperator.allSatisfy { ($0["host"] as? String)?.isEmpty == false })
        #expect(
            byOperator.map { $0["object"] as? String } == [
                "shop", "starter", "growth", nil, nil, "api_key",
                "sdk_requests_per_minute=500,devices=off,app_schedules=off,app_schedule_bytes=2048,"
                    + "app_schedules_per_user=3,app_schedule_bytes_per_user=default,weight=3",
                "devices=default", "api_key", "sdk_key", "identity_secret", nil,
            ])
        #expect(records.contains { $0["actor_kind"] as? String == "api_key" && $0["status"] as? Int == 400 })
        mock.process.terminate()
        _ = try await mock.ended()
    }

    @Test("A sealing key that is made beside a Redis of somebody else's is told of once")
    func madeKey() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (redis, environment) = try await commands.startRedis()
        defer { redis.end() }
        let first = try await commands.run("tenant", "create", "one", "--json", environment: environment)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.hasPrefix("note: created the sealing key data/webhooks.key"), "\(first.errors)")
        #expect(first.errors.contains("events.sealing_key_file"))
        for words in [["create", "two"], ["rotate-key", "one", "--kind", "identity"], ["list"]] {
            let later = try await commands.start(["tenant"] + words, environment: environment).ended()
            #expect(later.status == 0 && !later.errors.contains("webhooks.key"), "\(later.errors)")
        }
    }

    @Test("Where a program reads, standard output has JSON and nothing else")
    func json() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        func parses(_ result: CommandLine.Result) throws {
            _ = try JSONSerialization.jsonObject(with: Data(result.output.utf8), options: .fragmentsAllowed)
        }
        try parses(try await commands.run("tenant", "create", "shop", "--json"))
        // The reason why there is no second tenant of the name is for people.
        let second = try await commands.run("tenant", "create", "shop", "--json")
        #expect(second.status == 1 && second.output.isEmpty, "\(second.output)")
        #expect(second.errors.contains("the tenant name shop is taken"), "\(second.errors)")
        try parses(try await commands.run("tenant", "list", "--json"))
        try parses(try await commands.run("check-config", "--json", "--show"))
        let wrong = try await commands.run("check-config", "--json", environment: ["FANFARE_HTTP_PORT": "seventy"])
        #expect(wrong.status == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(wrong.output.utf8)) as? [String: Any])
        #expect(report["usable"] as? Bool == false)
        let problems = try #require(report["problems"] as? [[String: Any]])
        #expect(problems.first?["key"] as? String == "http.port")
        #expect(problems.first?["source"] as? String == "FANFARE_HTTP_PORT")
    }
}
