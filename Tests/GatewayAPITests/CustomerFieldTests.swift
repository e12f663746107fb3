import GatewayStore
import HTTPTypes
import LiveActivity
import Testing
import TimeCore

@testable import GatewayAPI

/// The store is away. Calls with wrong fields are refused for these; all others fail at the store.
@Suite("Fields that a customer's calls have")
struct CustomerFieldTests {
    private static let id = "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001"
    private static let type = #""activity_type":"match""#
    private static let content = #""content":{"title":"t","message":"m","content_state":{}}"#

    private let caller: Caller

    init() {
        let api = CustomerAPI(
            store: .absent, service: AbsentStore(), settings: APISettings(), clock: { WallTime(seconds: 1000) })
        caller = Caller(
            EndpointTable.activities(api)
                + EndpointTable.reading(api, BroadcastEvents(api: api, shares: GatewayShares(APISettings())))
                + EndpointTable.schedules(api)
        ) { $0.requestsPerMinute = 1000 }
    }

    private func answer(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) async throws -> Caller.Answer {
        try await caller.ask(method, "/api/v1/live-activity\(path)", body, key: "good")
    }

    private static func body(_ more: String...) -> String {
        "{" + (["\"activity_id\":\"\(id)\"", type] + more).joined(separator: ",") + "}"
    }

    @Test(
        "Options of a start, update or end that are wrong are named",
        arguments: [
            ("priority", "7"), ("priority", #""10""#), ("expiration", #""soon""#), ("expiration", "-1"),
            ("stale_date", "1.5"), ("dismissal_date", "[]"), ("relevance_score", #""1""#), ("sound", "1"),
            ("force", "1"),
        ])
    func options(_ name: String, _ value: String) async throws {
        for command in name == "force" ? ["end"] : ["start", "update", "end"] {
            let answer = try await answer(
                .post, "/\(command)", Self.body(Self.content, #""options":{"\#(name)":\#(value)}"#))
            #expect(answer.code == "VALIDATION_FAILED", "\(command)")
            #expect(answer["error"]?.string?.hasPrefix("options.\(name) must be") == true, "\(answer.text)")
        }
    }

    @Test("A body that is wrong is refused with the code for what is wrong")
    func bodies() async throws {
        let soon = WallTime(seconds: 1000 + 3600).rfc3339
        let users = #""insider_ids":["ann"]"#
        let wrong: [(String, String, String)] = [
            ("register", "{\(users),\"ends_at\":\"\(soon)\"}", "ACTIVITY_TYPE_REQUIRED"),
            ("register", "{\(Self.type),\"ends_at\":\"\(soon)\"}", "INSIDER_IDS_OUT_OF_RANGE"),
            ("register", "{\(Self.type),\(users)}", "VALIDATION_FAILED"),
            (
                "register", "{\(Self.type),\(users),\"ends_at\":\"\(WallTime(seconds: 999).rfc3339)\"}",
                "ENDS_AT_IN_PAST"
            ),
            (
                "register", "{\(Self.type),\(users),\"ends_at\":\"\(WallTime(seconds: 1294).rfc3339)\"}",
                "ENDS_AT_TOO_SOON"
            ),
            (
                "register", "{\(Self.type),\(users),\"ends_at\":\"\(WallTime(seconds: 700_000).rfc3339)\"}",
                "ENDS_AT_TOO_FAR"
            ),
            (
                "register", "{\(Self.type),\(users),\"ends_at\":\"\(soon)\",\"options\":{\"channel\":\"always\"}}",
                "VALIDATION_FAILED"
            ),
            ("add-users", Self.body(), "INSIDER_IDS_OUT_OF_RANGE"),
            ("remove-users", Self.body(#""insider_ids":[7]"#), "VALIDATION_FAILED"),
            ("start", "{\(Self.type),\(Self.content)}", "ACTIVITY_ID_REQUIRED"),
            ("start", Self.body(), "CONTENT_REQUIRED"),
            ("start", Self.body(#""content":{"content_state":{}}"#), "CONTENT_REQUIRED"),
            ("start", Self.body(Self.content, #""options":{"expiration":999}"#), "VALIDATION_FAILED"),
            ("update", Self.body(), "CONTENT_REQUIRED"),
            ("update", Self.body(Self.content, #""target_devices":[{"insider_id":"a"}]"#), "TARGET_DEVICES_INVALID"),
            ("restart", Self.body(Self.content), "VALIDATION_FAILED"),
            ("restart", Self.body(Self.content, #""devices":"all""#), "VALIDATION_FAILED"),
            ("schedule", Self.body(Self.content, #""event":"pause","offset":60"#), "VALIDATION_FAILED"),
            ("schedule", Self.body(Self.content, #""event":"update","offset":-1"#), "VALIDATION_FAILED"),
            ("schedule", Self.body(#""event":"update","offset":60"#), "CONTENT_REQUIRED"),
            ("schedule/cancel", Self.body(#""schedule_id":7"#), "VALIDATION_FAILED"),
        ]
        for (command, body, expected) in wrong {
            #expect(try await answer(.post, "/\(command)", body).code == expected, "\(command) \(body)")
        }
    }

    @Test(
        "A missing field or selection is called missing, a contradiction is named",
        arguments: [
            ("register", #""insider_ids":["ann"]"#, "ends_at is required: an RFC 3339 time like 2030-01-31T18:30:00Z"),
            ("restart", content, "send devices or target_devices; one is required"),
            ("schedule", content, "event is required: start, update or end"),
            ("schedule", #""event":"end""#, "send offset or deliver_at; one is required"),
            (
                "schedule", #""event":"end","offset":60,"deliver_at":"2030-01-31T18:30:00Z""#,
                "send either offset or deliver_at, not both"
            ),
        ])
    func missing(_ command: String, _ fields: String, _ error: String) async throws {
        let body = command == "register" ? "{\(Self.type),\(fields)}" : Self.body(fields)
        let answer = try await answer(.post, "/\(command)", body)
        #expect(answer.code == "VALIDATION_FAILED" && answer["error"]?.string == error, "\(answer.text)")
    }

    @Test(
        "A query that is wrong is refused",
        arguments: [
            ("?limit=0", "VALIDATION_FAILED"), ("?state=gone", "VALIDATION_FAILED"), ("?cursor=x", "VALIDATION_FAILED"),
            ("?external_id=a", "VALIDATION_FAILED"), ("/\(id)/devices?limit=1001", "VALIDATION_FAILED"),
            ("/\(id)/devices?state=gone", "VALIDATION_FAILED"), ("/\(id)/devices?cursor=-1", "VALIDATION_FAILED"),
            ("/schedule", "ACTIVITY_ID_REQUIRED"), ("/word", "NOT_FOUND"), ("/broadcasts/word", "NOT_FOUND"),
        ])
    func queries(_ path: String, _ code: String) async throws {
        #expect(try await answer(.get, path).code == code)
    }

    @Test("What is in order reaches the store")
    func right() async throws {
        let soon = WallTime(seconds: 1000 + 3600).rfc3339
        let register = "{\(Self.type),\"insider_ids\":[\"ann\"],\"ends_at\":\"\(soon)\"}"
        let commands = [
            ("register", register), ("add-users", Self.body(#""insider_ids":["ann"]"#)),
            ("remove-users", Self.body(#""insider_ids":["ann"]"#)), ("start", Self.body(Self.content)),
            ("update", Self.body(Self.content)), ("end", Self.body()),
            ("restart", Self.body(Self.content, #""devices":"unsent""#)),
            ("schedule", Self.body(Self.content, #""event":"update","offset":60"#)), ("schedule/cancel", Self.body()),
        ]
        for (command, body) in commands {
            let answer = try await answer(.post, "/\(command)", body)
            #expect(answer.code == "STORE_UNAVAILABLE", "\(command) \(answer.text)")
        }
        for path in [
            "", "/\(Self.id)", "/\(Self.id)/devices", "/broadcasts/\(Self.id)", "/schedule?activity_id=\(Self.id)",
        ] {
            #expect(try await answer(.get, path).code == "STORE_UNAVAILABLE", "\(path)")
        }
    }
}
