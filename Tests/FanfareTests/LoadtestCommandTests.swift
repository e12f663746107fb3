import Foundation
import Testing

@Suite("fanfare loadtest", .serialized)
struct LoadtestCommandTests {
    @Test("A foreign host is refused with a sentence, before anything is sent")
    func foreignHost() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for kind in [["devices", "--register-only"], ["broadcasts"], ["topics"]] {
            let arguments = ["loadtest"] + kind + ["--url", "http://gateway.example.com"]
            let running = try commands.start(
                arguments, environment: ["FANFARE_LOADTEST_SDK_KEY": "s", "FANFARE_LOADTEST_API_KEY": "a"])
            let result = try await running.ended()
            #expect(result.status == 64)
            #expect(result.errors.contains("--i-own-this-host gateway.example.com"), "\(result.errors)")
        }
    }

    @Test("Keys that are missing, and arguments that make no sense, are named")
    func arguments() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        func errors(_ arguments: String...) async throws -> String {
            let running = try commands.start(
                ["loadtest"] + arguments, environment: ["FANFARE_LOADTEST_SDK_KEY": "sdk-secret"])
            let result = try await running.ended()
            #expect(result.status == 64, "\(arguments)")
            #expect(!result.errors.contains("sdk-secret") && !result.output.contains("sdk-secret"))
            return result.errors
        }
        #expect(try await errors("broadcasts").contains("FANFARE_LOADTEST_API_KEY"))
        #expect(try await errors("topics").contains("FANFARE_LOADTEST_API_KEY"))
        #expect(try await errors("topics", "--api-key", "a", "--storm", "2m").contains("--storm must be at most"))
        #expect(try await errors("devices").contains("--activity-id"))
        #expect(try await errors("devices", "--activity-id", "a", "--within", "soon").contains("is not a duration"))
        #expect(try await errors("devices", "--register-only", "--activity-id", "a").contains("use --register"))
        #expect(try await errors("broadcasts", "--api-key", "a", "--mix", "sync=1").contains("sync=1"))
        #expect(try await errors("broadcasts", "--api-key", "a", "--url", "ftp://x").contains("http://"))
    }

    @Test("Where nobody listens the command says so and exits with 1")
    func nobody() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        // Port 1 (tcpmux) is free.
        let running = try commands.start(
            ["loadtest", "devices", "--register-only", "--url", "http://127.0.0.1:1"],
            environment: ["FANFARE_LOADTEST_SDK_KEY": "s"])
        let result = try await running.ended()
        #expect(result.status == 1)
        #expect(result.errors.contains("the gateway cannot be reached: the connection was refused"), "\(result.errors)")
    }

    @Test("The trial of loadtest/README.md, in small: register, start, storm, broadcasts, Ctrl-C")
    func trial() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        environment["FANFARE_LOG_FORMAT"] = "json"
        let (serve, _, port) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        let url = "http://127.0.0.1:\(port)"
        let tenant = try await commands.run(
            "tenant", "create", "trial", "--json", environment: environment)
        func secret(_ name: String) throws -> String {
            let words = tenant.output.split(separator: "\"").map(String.init)
            return words[try #require(words.firstIndex(of: name)) + 2]
        }
        let keys = [
            "FANFARE_LOADTEST_API_KEY": try secret("api_key"), "FANFARE_LOADTEST_SDK_KEY": try secret("sdk_key"),
            "FANFARE_LOADTEST_IDENTITY_SECRET": try secret("identity_secret"),
        ]
        func loadtest(_ arguments: String...) async throws -> CommandLine.Result {
            try await commands.start(
                ["loadtest"] + arguments + ["--url", url, "--devices", "200"], environment: keys
            ).ended()
        }
        let unsigned = try await commands.start(
            ["loadtest", "devices", "--register-only", "--url", url, "--devices", "2", "--json"],
            environment: keys.filter { !$0.key.contains("IDENTITY") }
        ).ended()
        #expect(unsigned.status == 1 && unsigned.output.contains(#""401 UNAUTHORIZED":2"#), "\(unsigned.output)")
        let registered = try await loadtest("devices", "--register-only", "--signature-version", "1")
        #expect(registered.status == 0 && registered.output.contains("succeeded"), "\(registered.errors)")
        let started = try await loadtest("broadcasts", "--start-one", "--segment-size", "200", "--json")
        let id = try #require(started.output.firstMatch(of: /"activity_id":"([-0-9a-f]{36})"/)?.output.1)
        #expect(started.output.hasPrefix(#"{"ok":true,"#) && started.errors.isEmpty)
        let storm = try await loadtest("devices", "--activity-id", String(id), "--within", "500ms")
        #expect(storm.status == 0 && storm.output.contains("From the due time"), "\(storm.output)")
        let broadcasts = try await loadtest("broadcasts", "--calls", "60", "--rate", "40", "--segment-size", "20")
        #expect(broadcasts.status == 0 && broadcasts.output.contains("pushes by start"), "\(broadcasts.output)")
        let match = try await loadtest(
            "topics", "--before", "300ms", "--storm", "500ms", "--length", "5s", "--goals", "2", "--report-within",
            "300ms")
        #expect(match.status == 0 && match.output.contains("✓ topics ended"), "\(match.output)")
        let failing = try await loadtest("devices", "--activity-type", "Unknown", "--json")
        #expect(failing.status == 1 && failing.output.contains(#""404 NOT_FOUND":200"#), "\(failing.output)")
        let allowed = try await loadtest("devices", "--activity-type", "Unknown", "--allow-failures")
        #expect(allowed.status == 0)
        for result in [registered, started, storm, broadcasts, match, failing] {
            for key in keys.values { #expect(!(result.output + result.errors).contains(key)) }
        }

        let long = try commands.start(
            ["loadtest", "broadcasts", "--url", url, "--devices", "200", "--duration", "1h"], environment: keys)
        #expect(try await long.said("Press Ctrl-C to stop early"))
        long.process.interrupt()
        let interrupted = try await long.ended()
        #expect(interrupted.status == 130 && interrupted.output.contains("succeeded"), "\(interrupted.errors)")
    }
}
