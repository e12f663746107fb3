import Foundation
import LiveActivity
import TestHTTP2Client
import Testing
import TimeCore

@testable import MockAPNs
@testable import MockKit

@Suite("The control port")
struct ControlPortTests {
    private static func controlled(_ change: (inout MockAPNs.Options) -> Void = { _ in }) throws -> TestMock {
        try TestMock {
            $0.controlPort = 0
            change(&$0)
        }
    }

    @Test("There is none unless it is asked for, and it is gone with the mock")
    func off() throws {
        #expect(try TestMock().mock.controlURL == nil)
        let mock = try Self.controlled()
        let url = try #require(mock.mock.controlURL)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try ControlClient.ask(mock, "/mock/counts").status == 200)
        mock.mock.stop()
        #expect(throws: ControlClient.Refused.self) { try ControlClient.ask(mock, "/mock/counts") }
    }

    @Test("A script that is put is in force with the answer, and one that is wrong leaves it so")
    func script() async throws {
        let mock = try Self.controlled()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(try ControlClient.ask(mock, "/mock/script").body == "{}\n")
        let script = #"{"rules": [{"status": 503, "reason": "ServiceUnavailable"}]}"#
        let put = try ControlClient.ask(mock, "/mock/script", method: "PUT", body: script)
        #expect(put.status == 204 && put.body.isEmpty && !put.head.contains("content-length"))
        #expect(await client.send(try mock.push()).status == 503)
        let wrong = try ControlClient.ask(mock, "/mock/script", method: "PUT", body: #"{"ruls": []}"#)
        #expect(wrong.status == 400)
        #expect(wrong.body == #"{"error":"ruls: unknown; did you mean \"rules\"?"}"# + "\n")
        let kept = try ControlClient.ask(mock, "/mock/script")
        #expect(kept.body == script && kept.head.contains("content-type: application/json"))
        #expect(await client.send(try mock.push()).status == 503)
        #expect(try ControlClient.ask(mock, "/mock/script", method: "PUT", body: "{}").status == 204)
        #expect(await client.send(try mock.push()).status == 200)
    }

    @Test("The script that is told is the one in force, whoever set it")
    func otherScripts() throws {
        let mock = try Self.controlled()
        try mock.mock.setScript(json: Array(#"{"answers_pings": false}"#.utf8))
        #expect(try ControlClient.ask(mock, "/mock/script").body == #"{"answers_pings": false}"#)
        #expect(throws: MockError.self) { try mock.mock.setScript(json: Array("[]".utf8)) }
        #expect(try ControlClient.ask(mock, "/mock/script").body == #"{"answers_pings": false}"#)
        mock.mock.setScript(MockScript())
        #expect(try ControlClient.ask(mock, "/mock/script").status == 404)
    }

    @Test("The ledger is told from any line on, as the file has it")
    func ledger() async throws {
        let mock = try Self.controlled()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        _ = await client.send(try ["01", "02", "03"].map { try mock.push($0) })
        let path = mock.mock.options.directory + "/ledger.ndjson"
        try mock.mock.writeLedger(to: path)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { $0 + "\n" }
        #expect(lines.count == 3)
        for (target, first) in [("", 0), ("?since=0", 0), ("?since=2", 2), ("?since=3", 3), ("?since=99", 3)] {
            let answer = try ControlClient.ask(mock, "/mock/ledger" + target)
            #expect(answer.status == 200 && answer.body == lines[first...].joined(), "\(target)")
            #expect(answer.head.contains("content-type: application/x-ndjson"))
        }
        for target in ["?since=-1", "?since=x", "?since=1&since=2", "?from=1"] {
            #expect(try ControlClient.ask(mock, "/mock/ledger" + target).status == 400, "\(target)")
        }
        let counting = try Self.controlled { $0.ledger = .counts }
        #expect(try ControlClient.ask(counting, "/mock/ledger").status == 404)
    }

    @Test("Counts are told, all of them, and as the page has them")
    func counts() async throws {
        let mock = try Self.controlled()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        var bad = try mock.push()
        bad.set("apns-topic", nil)
        _ = await client.send([try mock.push(), bad])
        let answer = try ControlClient.ask(mock, "/mock/counts")
        let counts = try JSONDocument(parsing: Array(answer.body.utf8)).root
        #expect(try counts.member("pushes")?.int64 == 2)
        #expect(try counts.member("answers_by_status")?.memberNames == ["200", "400"])
        #expect(try counts.member("answers_by_reason")?.member("MissingTopic")?.int64 == 1)
        #expect(try counts.member("pushes_by_event")?.member("update")?.int64 == 2)
        let server = Mirror(reflecting: mock.mock.counts().server).children.compactMap(\.label).map(Self.underscored)
        let told = server.map { Self.ownNames[$0] ?? $0 }.filter { !$0.hasSuffix("_by_mark") }
        #expect(Set(told).isSubset(of: counts.memberNames))
        let page = try WrittenScriptTests.ownPage()
        let section = try #require(page.components(separatedBy: "\n### Counts\n").last)
        let described = section.split(separator: "\n").compactMap { $0.prefixMatch(of: /\| `([a-z_]+)` \|/)?.1 }
        #expect(described.map(String.init) == counts.memberNames)
    }

    /// The APNs mock's own names for counts of any server.
    private static let ownNames = [
        "requests": "pushes", "requests_with_connection_closed": "pushes_with_connection_closed",
    ]

    private static func underscored(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }

    @Test("Another path is not found, and another method not allowed")
    func strangers() throws {
        let mock = try Self.controlled()
        #expect(try ControlClient.ask(mock, "/").status == 404)
        #expect(try ControlClient.ask(mock, "/mock/scripts").status == 404)
        let post = try ControlClient.ask(mock, "/mock/script", method: "POST", body: "{}")
        #expect(post.status == 405 && post.head.contains("allow: GET, PUT"))
        #expect(try ControlClient.ask(mock, "/mock/ledger", method: "DELETE").head.contains("allow: GET"))
        #expect(try ControlClient.ask(mock, "/mock/script?x").status == 400)
    }

    @Test("The control port answers to loopback names only")
    func hosts() throws {
        let mock = try Self.controlled()
        let url = mock.mock.controlURL
        for host in [
            "localhost", "LOCALHOST:2198", "mock.localhost", "127.0.0.1:2198", "127.9.9.9", "[::1]", "[::1]:2198",
        ] {
            #expect(try ControlClient.ask(url: url, "/mock/counts", host: host).status == 200, "\(host)")
        }
        for host in [
            "attacker.example", "localhost.attacker.example", "127.0.0.1.attacker.example", "10.0.0.1", "0.0.0.0",
            "[::]", "", "localhost:x", "notlocalhost",
        ] {
            let answer = try ControlClient.ask(url: url, "/mock/script", method: "PUT", body: "{}", host: host)
            #expect(answer.status == 421, "\(host)")
        }
    }

    // MARK: Clients that misbehave

    private final class QuietMock: MockControls {
        func setScript(json: [UInt8]) throws(MockError) {}
        func scriptText() -> [UInt8]? { Array(repeating: UInt8(ascii: "x"), count: 8 << 20) }
        func ledgerLines(from first: Int, limit: Int) -> [UInt8]? { nil }
        func countsText() -> [UInt8] { [] }
    }

    @Test("A request that does not come to its end is answered 408")
    func slow() throws {
        let (server, port) = try ControlServer.start(port: 0, QuietMock(), patience: .milliseconds(20))
        defer { server.stop() }
        let client = try ControlClient(port: port)
        client.send("PUT /mock/script HTTP/1.1\r\ncontent-length: 2\r\n\r\n{")
        #expect(client.receive().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    }

    @Test("A body that is waited with is asked for, and a long answer comes whole")
    func largeTransfers() throws {
        let (server, port) = try ControlServer.start(port: 0, QuietMock())
        defer { server.stop() }
        let put = try ControlClient(port: port)
        put.send("PUT /mock/script HTTP/1.1\r\ncontent-length: 2000000\r\nexpect: 100-continue\r\n\r\n")
        #expect(put.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        put.send(String(repeating: " ", count: 2_000_000))
        #expect(put.receive().hasPrefix("HTTP/1.1 204 No Content\r\n"))
        let get = try ControlClient(port: port)
        get.send("GET /mock/script HTTP/1.1\r\n\r\n")
        #expect(get.receive().suffix(8 << 20).allSatisfy { $0 == "x" })
    }

    @Test("Of many connections sixteen are kept, and one that ends makes room")
    func manyConnections() throws {
        let (server, port) = try ControlServer.start(port: 0, QuietMock())
        defer { server.stop() }
        var idle = try (0..<16).map { _ in try ControlClient(port: port) }
        // Connections are accepted in order, so this one is the seventeenth.
        #expect(try ControlClient(port: port).receive().isEmpty)
        idle[0].send("GET /mock/counts HTTP/1.1\r\n\r\n")
        #expect(idle[0].receive().hasPrefix("HTTP/1.1 200 OK\r\n"))
        idle.removeAll()
        var answer = ""
        while answer.isEmpty {
            let client = try ControlClient(port: port)
            client.send("GET /mock/counts HTTP/1.1\r\n\r\n")
            answer = client.receive()
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
}
