import Foundation
import Testing

@Suite("fanfare tenant, signatures", .serialized)
struct TenantSignatureTests {
    private func run(
        _ commands: CommandLine, _ environment: [String: String], _ arguments: String...
    ) async throws -> CommandLine.Result {
        try await commands.start(["tenant"] + arguments, environment: environment).ended()
    }

    @Test("New tenants demand signatures; another version, or none, can be demanded later")
    func demands() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        // A Redis that stays, so that not each command has to start one.
        let (server, environment) = try await commands.startRedis()
        defer { server.end() }
        let key = commands.folder.appending(path: "sealing.key")
        try Data((0..<32).map { UInt8($0) }).write(to: key)
        let sealing = environment.merging(["FANFARE_EVENTS_SEALING_KEY_FILE": key.path]) { $1 }
        func signatures() async throws -> String {
            let shown = try await run(commands, sealing, "show", "shop")
            return try #require(shown.output.firstMatch(of: /signatures +(.*)/), "\(shown.errors)").output.1.description
        }
        let created = try await run(commands, sealing, "create", "shop", "--json")
        #expect(created.status == 0 && created.output.contains("ffi_"), "\(created.errors)")
        #expect(try await signatures() == "required")
        for (arguments, words) in [
            (["--version", "2"], "required, version 2"), (["--off"], "optional, verified if sent"), ([], "required"),
        ] {
            let result = try await commands.start(
                ["tenant", "require-signatures", "shop"] + arguments, environment: sealing
            ).ended()
            #expect(result.status == 0 && result.output.hasSuffix("signatures are \(words)\n"), "\(result.errors)")
            #expect(try await signatures() == words)
        }
        let strict = try await run(commands, sealing, "create", "bank", "--signature-version", "2")
        #expect(strict.status == 0)
        let list = try await run(commands, sealing, "list", "--json")
        #expect(list.output.contains(#""identity_signature_required":true,"identity_signature_version":2"#), "\(list)")
        #expect(list.output.contains(#""identity_signature_required":true,"identity_signature_version":1"#), "\(list)")

        // Without the key: nothing that would have to be in clear.
        let refused = try await run(commands, environment, "create", "trial")
        #expect(refused.status == 1 && refused.errors.contains("events.sealing_key_file"), "\(refused.errors)")
        #expect(refused.errors.contains("--no-signatures"))
        let open = try await run(commands, environment, "create", "trial", "--no-signatures", "--json")
        #expect(open.status == 0 && !open.output.contains("identity_secret"), "\(open.errors)")
        let early = try await run(commands, sealing, "require-signatures", "trial")
        #expect(early.status == 1 && early.errors.contains("rotate-key trial --kind identity"), "\(early.errors)")
        let unsealed = try await run(commands, environment, "rotate-key", "trial", "--kind", "identity")
        #expect(unsealed.status == 1 && unsealed.errors.contains("events.sealing_key_file"), "\(unsealed.errors)")
        let first = try await run(commands, sealing, "rotate-key", "trial", "--kind", "identity")
        #expect(first.status == 0 && first.output.hasPrefix("ffi_"), "\(first.errors)")
        #expect(first.errors.contains("There was none before"))
        #expect(try await run(commands, sealing, "require-signatures", "trial").status == 0)
    }

    @Test("With a Redis of one's own and no key named one is made for this machine, where it can be")
    func localKey() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (server, redis) = try await commands.startRedis()
        defer { server.end() }
        let (mock, provider) = try await commands.startMock()
        defer { mock.terminate() }
        let environment = redis.merging(provider) { $1 }
        #expect(try await run(commands, environment, "list").status == 0)
        let file = commands.folder.appending(path: "data/webhooks.key").path
        #expect(!FileManager.default.fileExists(atPath: file))
        // Nowhere to put it: no file can be made below a file.
        let nowhere = environment.merging(["FANFARE_REDIS_DATA_DIR": "redis.sock/data"]) { $1 }
        let refused = try await run(commands, nowhere, "create", "shop")
        #expect(refused.status == 1 && refused.errors.contains("--no-signatures"), "\(refused.errors)")

        let (serve, log, port) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        #expect(log.contains("created the sealing key data/webhooks.key"), "\(log)")
        let created = try await run(commands, environment, "create", "shop", "--json")
        #expect(created.status == 0, "\(created.errors)")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let keys = try JSONDecoder().decode([String: String].self, from: Data(created.output.utf8))
        let secret = try #require(keys["identity_secret"])
        func report(signedFor user: String) throws -> String {
            // The command of the documents: printf %s USER | openssl dgst -sha256 -hmac SECRET.
            let signed = commands.folder.appending(path: "signed").path
            try Data(user.utf8).write(to: URL(filePath: signed))
            let digest = try Program.run("/usr/bin/openssl", "dgst", "-sha256", "-hmac", secret, "-r", signed).output
            return try Program.run(
                "/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PUT",
                "-H", "X-Sdk-Key: \(keys["sdk_key"] ?? "")", "-H", "Content-Type: application/json",
                "-H", "X-Identity-Signature: \(digest.prefix(64))", "-d",
                """
                {"insider_id":"u","udid":"d","platform":"ios","os_version":"18.0","push_opt_in":true,
                 "gdpr_consent":true,"environment":"production"}
                """,
                "http://127.0.0.1:\(port)/api/v1/sdk/device"
            ).output
        }
        #expect(try report(signedFor: "u") == "200")
        #expect(try report(signedFor: "v") == "401")
        // A command that has another folder, and so another key, makes no secrets that the gateways cannot open.
        let elsewhere = environment.merging(["FANFARE_REDIS_DATA_DIR": "elsewhere"]) { $1 }
        let strange = try await run(commands, elsewhere, "create", "bank")
        #expect(strange.status == 1 && strange.errors.contains("events.sealing_key_file"), "\(strange.errors)")
        // Nor are secrets sealed anew that other gateways read.
        let sealing = try await run(commands, environment, "seal-secrets")
        #expect(sealing.status == 1 && sealing.errors.contains("events.sealing_key_file"), "\(sealing.errors)")
        #expect(sealing.errors.contains("webhooks.key"), "\(sealing.errors)")
    }

    @Test("With a Redis of one's own a strange sealing key is noticed")
    func sealing() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (server, environment) = try await commands.startRedis()
        defer { server.end() }
        func with(_ name: String, former: String? = nil) throws -> [String: String] {
            let file = commands.folder.appending(path: name)
            if !FileManager.default.fileExists(atPath: file.path) {
                try Data(name.utf8 + [UInt8](repeating: 1, count: 32)).write(to: file)
            }
            var environment = environment
            environment["FANFARE_EVENTS_SEALING_KEY_FILE"] = file.path
            environment["FANFARE_AUDIT_FILE"] = commands.folder.appending(path: "audit").path
            environment["FANFARE_EVENTS_FORMER_SEALING_KEY_FILES"] = former.map {
                commands.folder.appending(path: $0).path
            }
            return environment
        }
        #expect(try await run(commands, with("old"), "create", "shop").status == 0)
        let strange = try await run(commands, with("new"), "create", "other")
        #expect(
            strange.status == 1 && strange.errors.contains("is not the gateways' key"), "\(strange.errors)")
        let lost = try await run(commands, with("new"), "rotate-key", "shop", "--kind", "identity")
        #expect(lost.status == 1 && lost.errors.contains("--overlap 0"), "\(lost.errors)")
        let unreadable = try await run(commands, with("new"), "seal-secrets")
        #expect(unreadable.status == 1 && unreadable.errors.contains("shop"), "\(unreadable.errors)")
        let sealed = try await run(commands, with("new", former: "old"), "seal-secrets")
        #expect(sealed.status == 0 && sealed.output.contains("secrets of 1 tenants"), "\(sealed.errors)")
        #expect(try await run(commands, with("new"), "create", "other").status == 0)
        #expect(try await run(commands, with("new"), "rotate-key", "shop", "--kind", "identity").status == 0)
        #expect(try await run(commands, with("old"), "create", "third").status == 1)
        // The audit log records failures as failed.
        let lines = try String(contentsOf: commands.folder.appending(path: "audit"), encoding: .utf8).split(
            separator: "\n")
        let records = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(records.map { $0?["status"] as? Int } == [200, 500, 500, 500, 200, 200, 200, 500])
        #expect(
            records.map { $0?["object"] as? String } == [
                "shop", "other", "identity_secret", nil, nil, "other", "identity_secret", "third",
            ])
        let short = commands.folder.appending(path: "short")
        try Data("short".utf8).write(to: short)
        let refused = try await run(
            commands, environment.merging(["FANFARE_EVENTS_SEALING_KEY_FILE": short.path]) { $1 }, "list")
        #expect(refused.status == 1 && refused.errors.contains("fewer than 32 bytes"), "\(refused.errors)")
    }
}
