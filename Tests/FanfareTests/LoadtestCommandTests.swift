import Foundation
import Testing

@Suite("fanfare loadtest", .serialized)
struct LoadtestCommandTests {
    @Test("A foreign host is refused with a sentence, before anything is sent")
    func foreignHost() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for kind in [["devices", "--register-only"], ["broadcasts"]] {
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
        #expect(try await errors("devices").contains("--activity-id"))
        #expect(try await errors("devices", "--activity-id", "a", "--within", "soon").contains("no duration"))
        #expect(try await errors("devices", "--register-only", "--activity-id", "a").contains("--register does both"))
        #expect(try await errors("broadcasts", "--api-key", "a", "--mix", "sync=1").contains("sync=1"))
        #expect(try await errors("broadcasts", "--api-key", "a", "--url", "ftp://x").contains("http://"))
    }

    @Test("Where nobody listens the command says so and exits with 1")
    func nobody() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        // Port 1 (tcpmux) is taken by nobody.
        let running = try commands.start(
            ["loadtest", "devices", "--register-only", "--url", "http://127.0.0.1:1"],
            environment: ["FANFARE_LOADTEST_SDK_KEY": "s"])
        let result = try await running.ended()
        #expect(result.status == 1)
        #expect(result.errors.contains("the gateway cannot be reached: the connection was refused"), "\(result.errors)")
    }
}
