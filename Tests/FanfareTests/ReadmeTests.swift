import Foundation
import Testing

@Suite("README.md", .serialized)
struct ReadmeTests {
    private static let readme = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../README.md").standardizedFileURL

    private static let hasTools = ["curl", "jq"].allSatisfy { tool in
        ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }

    /// A port that nobody listens on just now.
    private func freePort() throws -> Int {
        let answer = try Program.run(
            "/usr/bin/env", "python3", "-c",
            "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
        return try #require(Int(answer.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    @Test(
        "The first broadcast of README.md runs as it stands, and the mock's ledger has each push of it",
        .enabled(if: hasTools, "it needs curl and jq, which make test installs; other suites play the same calls"))
    func firstBroadcast() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let chapter = try #require(text.components(separatedBy: "## A first broadcast of your own").last)
        var script = try #require(
            chapter.components(separatedBy: "```sh\n").dropFirst().first?.components(separatedBy: "```").first)
        // The built executable in place of the release, and places that nobody else uses.
        let apns = commands.folder.appending(path: "apns").path
        for (line, other) in [
            ("make build\n", ""), ("alias fanfare=.build/release/fanfare\n", ""), ("/tmp/apns", apns),
            ("--port 2197", "--port \(try freePort())"),
        ] {
            #expect(script.contains(line), "\(line)")
            script = script.replacingOccurrences(of: line, with: other)
        }
        let port = try freePort()
        script = script.replacingOccurrences(of: "localhost:8080", with: "localhost:\(port)")
        let folder = CommandLine.executable.deletingLastPathComponent().path
        let head = """
            set -m; export PATH='\(folder)':"$PATH" FANFARE_HTTP_PORT=\(port)
            trap 'kill $(jobs -p) 2>/dev/null' EXIT
            """
        let result = try Program.run(
            "/usr/bin/timeout", "120", "/bin/bash", "--norc", "-c", head + "\n" + script, in: commands.folder)
        #expect(result.status == 0 || result.status == 143, "\(result.errors)")
        let answers = result.output.components(separatedBy: #"{"status":"success""#).count - 1
        // Device, token, start, sync, update, end; register's goes through jq.
        #expect(answers >= 6, "\(result.output) \(result.errors)")
        #expect(result.output.components(separatedBy: #""sessions_triggered":1"#).count - 1 == 3, "\(result.output)")

        let ledger = try String(contentsOfFile: "\(apns)/ledger.ndjson", encoding: .utf8)
        let lines = try ledger.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let events = try lines.map { line -> String in
            for field in ["time", "path", "headers", "payload", "status"] { #expect(line[field] != nil, "\(field)") }
            #expect((line["path"] as? String)?.hasPrefix("/3/device/") == true && line["status"] as? Int == 200)
            #expect((line["headers"] as? [String: Any])?["apns-topic"] != nil)
            let payload = try #require((line["payload"] as? String).flatMap { Data(base64Encoded: $0) })
            let object = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
            return try #require((object["aps"] as? [String: Any])?["event"] as? String)
        }
        #expect(events == ["start", "update", "end"])
    }
}
