import TestHTTP2Client
import Testing

@testable import MockFCM

@Suite("Rules")
struct RuleTests {
    @Test(
        "Every error comes with Google's status, its code and details",
        arguments: [
            ("UNREGISTERED", 404, "NOT_FOUND"), ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED"),
            ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT"), ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"),
            ("INTERNAL", 500, "INTERNAL"), ("UNAVAILABLE", 503, "UNAVAILABLE"),
            ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"), ("UNAUTHENTICATED", 401, "UNAUTHENTICATED"),
            ("PERMISSION_DENIED", 403, "PERMISSION_DENIED"), ("NOT_FOUND", 404, "NOT_FOUND"),
        ])
    func errors(code: String, status: Int, canonical: String) async throws {
        let (answers, stage) = try await Self.answers(
            2, #"{"error": "\#(code)", "limit": 1}, {"error": "\#(code)", "details": false}"#)
        for answer in answers {
            #expect(answer.status == status && answer.text("status") == canonical)
            #expect(answer.body.contains(#"{"error":{"code":\#(status),"message":""#))
        }
        let isOfFCM = !["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"].contains(code)
        #expect(answers[0].text("errorCode") == (isOfFCM ? code : nil))
        #expect(!answers[1].body.contains("details"))
        #expect(
            stage.mock.messages().map(\.answer) == [
                .answered(status: status, error: code), .answered(status: status, error: code),
            ])
    }

    @Test("An error says what it is about")
    func subjects() async throws {
        let (answers, _) = try await Self.answers(
            4,
            """
            {"error": "INVALID_ARGUMENT", "limit": 1}, {"error": "INVALID_ARGUMENT", "about": "message", "limit": 1},
            {"error": "QUOTA_EXCEEDED", "limit": 1}, {"error": "QUOTA_EXCEEDED", "about": "device"}
            """)
        #expect(answers.map { $0.text("field") } == ["message.token", "message", nil, nil])
        #expect(
            answers.map { $0.text("subject") }
                == [nil, nil, "project:fanfare-mock", "device:" + TestFCM.device])
    }

    @Test("Answers say when to try again, in seconds or with a date, and pages are no JSON")
    func retryAfter() async throws {
        let (answers, _) = try await Self.answers(
            3,
            """
            {"error": "UNAVAILABLE", "retry_after": 7, "limit": 1}, {"error": "UNAVAILABLE", "retry_date": 61, "limit": 1},
            {"page": 502, "retry_after": 1}
            """)
        #expect(answers.map { $0.headers["retry-after"] } == ["7", "Fri, 15 Jan 2027 08:01:01 GMT", "1"])
        #expect(answers[2].status == 502 && answers[2].body.hasPrefix("<!DOCTYPE html>"))
    }

    @Test("A rule is for tokens, events, a share, a number and a time")
    func matches() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(
            """
            {"rules": [
              {"tokens": ["\(TestFCM.device)-a"], "action": "accept"}, {"token_prefix": "other", "error": "UNREGISTERED"},
              {"token_suffix": "-a", "skip": 1, "every": 2, "error": "INTERNAL"}, {"event": "end", "page": 502},
              {"share": 0, "action": "silence"},
              {"after_ms": 1000, "until_ms": 2000, "error": "UNAVAILABLE"}
            ]}
            """)
        let token = try await stage.accessToken(client)
        func status(_ device: String = TestFCM.device, _ event: String = "update") async -> Int? {
            await client.send(stage.message(token, to: device, event: event)).status
        }
        #expect(await status(TestFCM.device + "-a") == 200)
        #expect(await status("other" + TestFCM.device) == 404)
        var statuses: [Int?] = []
        for _ in 0..<5 { statuses.append(await status("x" + TestFCM.device + "-a")) }
        #expect(statuses == [200, 200, 500, 200, 500])
        #expect(await status(TestFCM.device, "end") == 502)
        var times: [Int?] = []
        for step: Int64 in [0, 999, 1, 999, 1] {
            stage.clock.advance(milliseconds: step)
            times.append(await status())
        }
        #expect(times == [200, 200, 503, 503, 200])
    }

    @Test("Streams are reset, connections end and answers stay away")
    func faults() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(
            """
            {"rules": [{"action": "reset", "limit": 1}, {"action": "silence", "limit": 1}, {"action": "close_abruptly"}]}
            """)
        let token = try await stage.accessToken(client)
        #expect(await client.send(stage.message(token)) == .reset(code: 7))
        async let silent = client.send(stage.message(token))
        #expect(await stage.mock.waitFor(timeout: deadline) { $0.server.silenced == 1 })
        #expect(await client.send(stage.message(token)) == .connectionEnded)
        #expect(await silent == .connectionEnded)
        #expect(stage.mock.messages().map(\.answer) == [.reset(code: 7), .none, .none])
    }

    @Test("A script may leave the bodies of errors out")
    func bodies() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(#"{"omits_error_bodies": true}"#)
        let token = try await stage.accessToken(client)
        let answer = await client.send(stage.request(token, "{}")).response
        #expect(answer?.status == 400 && answer?.isHeadersOnly == true)
    }

    /// Returns the answers to `count` messages under these rules.
    private static func answers(_ count: Int, _ rules: String) async throws -> ([TestResult.Response], TestFCM) {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(#"{"rules": [\#(rules)]}"#)
        let token = try await stage.accessToken(client)
        var answers: [TestResult.Response] = []
        for _ in 0..<count { answers.append(try #require(await client.send(stage.message(token)).response)) }
        return (answers, stage)
    }
}
