import Foundation
import TestSupport
import Testing

@Suite("Imports that are broken off")
struct ImportInterruptionTests {
    @Test("SIGTERM ends an import in order: its counts are told, and the audit log has it")
    func terminated() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (redis, given) = try await commands.startRedis()
        defer { redis.end() }
        let audit = commands.folder.appending(path: "audit.ndjson")
        let environment = given.merging(["FANFARE_AUDIT_FILE": audit.path]) { $1 }
        let created = try await commands.run("tenant", "create", "shop", "--json", environment: environment)
        let id = try #require(created.output.split(separator: "\"").dropFirst(3).first.map(String.init))
        let socket = commands.folder.appending(path: "redis.sock").path
        func counted() throws -> String {
            try Program.run("/usr/bin/env", "redis-cli", "-s", socket, "HGET", "fanfare:{t:\(id)}:use", "devices")
                .output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        // The pipe stays open, so the import waits for more.
        let pipe = commands.folder.appending(path: "devices.fifo")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let command = try commands.start(
            ["devices", "import", "devices.fifo", "--tenant", "shop"], environment: environment)
        defer { command.terminate() }
        let writer = try FileHandle(forUpdating: pipe)
        defer { try? writer.close() }
        let lines = (0..<2001).map { number in
            """
            {"insider_id":"u\(number)","udid":"d","platform":"ios","os_version":"18.0","push_opt_in":true,\
            "gdpr_consent":true,"environment":"production"}
            """
        }
        try writer.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        // A batch is counted as soon as it is written, before the import ends.
        let end = ContinuousClock.now + .seconds(300)
        while try counted() != "2000" {
            try #require(ContinuousClock.now < end && command.process.isRunning)
            try await Task.sleep(for: .milliseconds(50))
        }
        command.terminate()
        let result = try await command.ended()
        #expect(result.status == 1 && result.errors.contains("interrupted by SIGTERM"), "\(result.errors)")
        #expect(try counted() == "2000")
        let audited = try String(contentsOf: audit, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("devices import") }
        #expect(audited.count == 1 && audited.first?.contains("500") == true, "\(audited)")
    }
}
