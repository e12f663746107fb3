import Foundation
import LiveActivity
import TestHTTP2Client
import Testing

@testable import MockFCM

@Suite("The ledger and the counts of FCM's mock")
struct LedgerTests {
    @Test("A line tells of each message, to whom it went, with which access token, and what was answered")
    func lines() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(#"{"rules": [{"event": "end", "error": "UNREGISTERED"}]}"#)
        _ = try await stage.accessToken(client)
        let token = try await stage.accessToken(client)
        let requests = [stage.message(token), stage.message(token, event: "end"), stage.message("other")]
        for request in requests { _ = await client.send(request) }
        let path = stage.mock.options.directory + "/ledger.ndjson"
        try stage.mock.writeLedger(to: path)
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")).map {
            try JSONDocument(parsing: Array($0)).root
        }
        try #require(lines.count == 3)
        #expect(try lines.map { try $0.member("status")?.int64 } == [200, 404, 401])
        #expect(try lines.map { try $0.member("reason")?.string } == [nil, "UNREGISTERED", "UNAUTHENTICATED"])
        #expect(try lines.map { try $0.member("access_token")?.int64 } == [2, 2, nil])
        #expect(try lines.map { try $0.member("event")?.string } == ["update", "end", nil])
        #expect(try lines[0].member("token")?.string == TestFCM.device)
        #expect(try lines[0].member("body")?.string == Data(requests[0].body).base64EncodedString())
        #expect(try lines[0].member("headers")?.member("authorization")?.string == "Bearer \(token)")
        #expect(try lines[0].member("time")?.int64 == stage.clock.now)
    }

    @Test("The control port reads the ledger and the counts and sets the script, and the page describes all of them")
    func control() async throws {
        let stage = try TestFCM { $0.controlPort = 0 }
        let client = try await stage.connect()
        defer { client.stop() }
        func ask(_ target: String, method: String = "GET", body: String = "") throws -> ControlClient.Answer {
            try ControlClient.ask(url: stage.mock.controlURL, target, method: method, body: body)
        }
        let token = try await stage.accessToken(client)
        #expect(try ask("/mock/script", method: "PUT", body: #"{"rules": [{"page": 502}]}"#).status == 204)
        #expect(await client.send(stage.message(token)).status == 502)
        let refused = try ask("/mock/script", method: "PUT", body: #"{"rules": [{"pages": 502}]}"#)
        #expect(refused.status == 400 && refused.body.contains("rules[0].pages: unknown; did you mean"))
        #expect(try ask("/mock/ledger").body.split(separator: "\n").count == 1)
        let counts = try JSONDocument(parsing: Array(ask("/mock/counts").body.utf8)).root
        #expect(try counts.member("answers_by_reason")?.member("HTML_502")?.int64 == 1)
        #expect(try counts.member("tokens_issued")?.int64 == 1)
        let own = counts.memberNames.prefix { $0 != "undelivered_answers" }
        #expect(try Page.counts() == Array(own))
    }

    @Test("A ledger can be left out")
    func withoutLedger() async throws {
        let stage = try TestFCM { $0.ledger = .counts }
        let client = try await stage.connect()
        defer { client.stop() }
        #expect(try await client.send(stage.message(stage.accessToken(client))).status == 200)
        #expect(stage.mock.messages().isEmpty && stage.mock.counts().accepted == 1)
    }
}
