import Foundation
import Testing

@Suite("The mock provider on the command line")
struct MockCommandTests {
    @Test("SIGHUP has the script read again; one that is wrong changes nothing, and is named")
    func readsItsScriptAgain() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let script = commands.folder.appending(path: "script.json")
        try Data("{}".utf8).write(to: script)
        let mock = try commands.start(["mock-apns", "--port", "0", "--out-dir", "apns", "--script", script.path])
        #expect(try await mock.said("listens at"))
        try Data(#"{"rules": [{"status": 503, "reason": "ServiceUnavailable"}]}"#.utf8).write(to: script)
        kill(mock.process.processIdentifier, SIGHUP)
        #expect(try await mock.said("script.json is in force"))
        try Data(#"{"rules": [{"share": 7}]}"#.utf8).write(to: script)
        kill(mock.process.processIdentifier, SIGHUP)
        #expect(try await mock.said("script.json is not in force: "))
        mock.terminate()
        let result = try await mock.ended()
        #expect(result.status == 0)
        #expect(result.errors.contains("share"), "\(result.errors)")
    }
}
