import Foundation
import Testing

@Suite("The mock providers on the command line")
struct MockCommandTests {
    @Test("SIGHUP has the script read again; one that is wrong changes nothing, and is named")
    func readsItsScriptAgain() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let script = commands.folder.appending(path: "script.json")
        try Data("{}".utf8).write(to: script)
        let mock = try commands.start(["mock-apns", "--port", "0", "--out-dir", "apns", "--script", script.path])
        #expect(try await mock.said("listens at"))
        let said = try String(contentsOf: mock.errors, encoding: .utf8)
        let port = try #require(said.firstMatch(of: /https:\/\/[^:]+:([0-9]+)/).flatMap { UInt16($0.1) })
        #expect(canConnect(port))
        try Data(#"{"connections": {"mode": "refuse"}}"#.utf8).write(to: script)
        kill(mock.process.processIdentifier, SIGHUP)
        #expect(try await mock.said("reloaded "))
        #expect(await refuses(port))
        try Data(#"{"rules": [{"share": 7}]}"#.utf8).write(to: script)
        kill(mock.process.processIdentifier, SIGHUP)
        #expect(try await mock.said("cannot reload "))
        #expect(!canConnect(port))
        mock.terminate()
        let result = try await mock.ended()
        #expect(result.status == 0)
        #expect(result.errors.contains("share"), "\(result.errors)")
    }

    @Test("The mock of a feed plays a match, is told what to say at its own port, and refuses what it cannot read")
    func feed() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let mock = try commands.start(["mock-feed", "--port", "0"])
        #expect(try await mock.said("Ctrl-C"))
        let said = try String(contentsOf: mock.errors, encoding: .utf8)
        let url = try #require(said.firstMatch(of: /http:\/\/[^ \n]+:[0-9]+/).map { String($0.output) })
        func ask(_ path: String, _ method: String = "GET", _ body: String = "") throws -> String {
            try Program.run(
                "/usr/bin/curl", "-s", "-w", " %{http_code}", "-X", method, "-d", body, url + path
            ).output
        }
        #expect(try ask("/topics.json").contains(#""topic": "match-1""#))
        #expect(try ask("/mock/script", "PUT", #"{"steps": [{"topics": [7]}]}"#) == " 204")
        #expect(try ask("/topics.json") == #"{"topics":[7]} 200"#)
        #expect(try ask("/mock/fault", "PUT", #"{"kind": "status"}"#) == " 204")
        #expect(try ask("/topics.json") == " 503")
        #expect(try ask("/mock/script", "PUT", #"{"step": 1}"#).hasSuffix(" 400"))
        #expect(try ask("/mock/counts") == #"{"requests":3,"by_status":{"200":2,"503":1}} 200"#)
        mock.terminate()
        #expect(try await mock.ended().status == 0)
    }

    @Test("The mock of FCM writes what a gateway needs, takes its script, and leaves its ledger")
    func fcm() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let script = commands.folder.appending(path: "script.json")
        try Data(#"{"token_rules": [{"page": 503}]}"#.utf8).write(to: script)
        let mock = try commands.start(["mock-fcm", "--port", "0", "--out-dir", "fcm", "--script", script.path])
        #expect(try await mock.said("Ctrl-C"))
        let folder = commands.folder.appending(path: "fcm")
        let settings = try String(contentsOf: folder.appending(path: "fcm.env"), encoding: .utf8)
        let values = Dictionary(
            uniqueKeysWithValues: settings.split(separator: "\n").map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            })
        let url = try #require(values["FANFARE_FCM_URL"])
        #expect(values["FANFARE_FCM_TOKEN_URL"] == url + "/token")
        let account = try Data(
            contentsOf: URL(filePath: try #require(values["FANFARE_FCM_SERVICE_ACCOUNT_FILE"])))
        let members = try #require(try JSONSerialization.jsonObject(with: account) as? [String: String])
        #expect(members["token_uri"] == url + "/token" && members["type"] == "service_account")
        // Without an access token, so it is refused; with the authority trusted.
        let answer = try Program.run(
            "/usr/bin/curl", "-s", "--http2", "--cacert", try #require(values["FANFARE_FCM_CA_FILE"]), "-d", "{}",
            "-w", " %{http_version} %{http_code}", url + "/v1/projects/fanfare-mock/messages:send")
        #expect(answer.output.contains("CREDENTIALS_MISSING") && answer.output.hasSuffix(" 2 401"), "\(answer)")
        mock.terminate()
        let result = try await mock.ended()
        #expect(result.status == 0)
        let ledger = try String(contentsOf: folder.appending(path: "ledger.ndjson"), encoding: .utf8)
        #expect(ledger.contains(#""reason":"UNAUTHENTICATED""#) && ledger.split(separator: "\n").count == 1)
    }

    @Test("A script that is wrong keeps the mock from starting, and says where and what")
    func refusesAWrongScript() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        try Data(#"{"rules": [{"status": 410, "reson": "Unregistered"}]}"#.utf8)
            .write(to: commands.folder.appending(path: "wrong.json"))
        let result = try await commands.run("mock-apns", "--port", "0", "--out-dir", "apns", "--script", "wrong.json")
        #expect(result.status == 1)
        #expect(result.errors.contains("wrong.json") && !result.errors.contains("listens"), "\(result.errors)")
        #expect(result.errors.contains(#"rules[0].reson: unknown; did you mean "reason"?"#), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "apns/apns.env").path))
    }

    @Test("With a control port the script is put while it runs, and the ledger is read")
    func controlPort() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let mock = try commands.start(["mock-apns", "--port", "0", "--control-port", "0", "--out-dir", "apns"])
        #expect(try await mock.said("Ctrl-C"))
        let said = try String(contentsOf: mock.errors, encoding: .utf8)
        let port = try #require(said.firstMatch(of: /https:\/\/[^:]+:([0-9]+)/).flatMap { UInt16($0.1) })
        let control = try #require(said.firstMatch(of: /its control port is (http:\/\/127\.0\.0\.1:[0-9]+)\n/)?.1)
        let channels = try #require(said.firstMatch(of: /channels are managed at (https:\/\/localhost:[0-9]+)\n/)?.1)
        let file = commands.folder.appending(path: "apns/channels_url")
        #expect(try String(contentsOf: file, encoding: .utf8) == channels + "\n")
        #expect(canConnect(try #require(channels.split(separator: ":").last.flatMap { UInt16($0) })))
        let script = #"{"connections": {"mode": "refuse"}}"#
        let put = try Program.run("/usr/bin/curl", "-sf", "-X", "PUT", "\(control)/mock/script", "-d", script)
        #expect(put.status == 0)
        #expect(await refuses(port))
        #expect(try Program.run("/usr/bin/curl", "-sf", "\(control)/mock/script").output == script)
        #expect(try Program.run("/usr/bin/curl", "-sf", "\(control)/mock/ledger").output.isEmpty)
        mock.terminate()
        #expect(try await mock.ended().status == 0)
    }

    @Test("The help names the page that describes scripts")
    func help() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let help = try await commands.run("mock-apns", "--help").output
        #expect(help.contains("docs/mocks.md"), "\(help)")
    }

    private func canConnect(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }

    /// Waits until the port is closed, at most for a generous time.
    private func refuses(_ port: UInt16) async -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while canConnect(port) {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }
}
