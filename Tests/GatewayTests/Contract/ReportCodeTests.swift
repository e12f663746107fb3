import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

/// Every code that the routes of reports answer, with its status. Keys and identities are in `AdmissionTests`,
/// outages in `StoreOutageTests`, the end of a gateway in `ProviderFaultTests`.
@Suite("Codes of the routes of reports", .serialized)
struct ReportCodeTests {
    private static let routes = [("POST", "sync"), ("PUT", "device"), ("PUT", "push-to-start-token")]

    @Test("Keys: missing, empty, too long, unknown, of the other kind")
    func keys() async throws {
        try await TestStage.run { stage in
            for (method, route) in Self.routes {
                for key in ["", String(repeating: "k", count: 257), "ffs_unknown", stage.tenant.apiKey] {
                    // Twice, for the second time it is known to be unknown.
                    for _ in 0..<2 {
                        let answer = try await stage.report(method, route, "{", headers: ["X-Sdk-Key": key])
                        expectRefusal(answer, 401, "UNAUTHORIZED", naming: "X-Sdk-Key")
                    }
                }
                let none = ["Content-Type": "application/json"]
                let answer = try await stage.send(method, "/api/v1/sdk/\(route)", "{", headers: none)
                expectRefusal(answer, 401, "UNAUTHORIZED", naming: "X-Sdk-Key")
            }
        }
    }

    @Test("Bodies that are no JSON object")
    func bodies() async throws {
        try await TestStage.run { stage in
            for (method, route) in Self.routes {
                func report(_ body: String, _ type: String = "application/json") async throws -> TestStage.Answer {
                    try await stage.report(method, route, body, headers: ["Content-Type": type])
                }
                for body in ["", "{}", " { } "] { expectRefusal(try await report(body), 400, "REQUEST_INVALID") }
                for type in ["text/plain", "application/jsonx", ""] {
                    expectRefusal(try await report(#"{"a":1}"#, type), 400, "REQUEST_INVALID", naming: "Content-Type")
                }
                for type in ["application/json; charset=utf-8", "Application/JSON ;x"] {
                    expectRefusal(try await report(#"{"a":1}"#, type), 400, "VALIDATION_FAILED", naming: "insider_id")
                }
                let marked = "\u{FEFF}" + #"{"a":1}"#
                expectRefusal(try await report(marked), 400, "VALIDATION_FAILED", naming: "insider_id")
                for body in ["{", "[1]", "7", #"{"a":"\ud800"}"#, #"{"insider_id":"a","insider_\u0069d":"b"}"#] {
                    expectRefusal(try await report(body), 400, "BAD_REQUEST")
                }
            }
        }
    }

    @Test("Fields of the device's name")
    func names() async throws {
        try await TestStage.run { stage in
            let long = String(repeating: "x", count: 251)
            for (method, route) in Self.routes {
                for value in ["7", "null", #""""#, #""a\u0000b""#, "\"\(long)\""] {
                    let id = #"{"insider_id":\#(value),"udid":"d"}"#
                    expectRefusal(
                        try await stage.report(method, route, id), 400, "VALIDATION_FAILED", naming: "insider_id")
                    let udid = #"{"insider_id":"a","udid":\#(value)}"#
                    expectRefusal(try await stage.report(method, route, udid), 400, "VALIDATION_FAILED", naming: "udid")
                }
            }
        }
    }

    @Test("Fields of a sync and of a push-to-start token")
    func fields() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let names = TestStage.key(0).fields
            func sync(_ more: String) async throws -> TestStage.Answer {
                try await stage.report("POST", "sync", "{\(names),\(more)}")
            }
            let place = #""activity_id":"\#(id)""#
            let tooLong = String(repeating: "ab", count: 201)
            for token in ["7", "null", #""""#, #""abc""#, #""zz""#, "\"\(tooLong)\""] {
                if token == "null" {
                    // Null counts as absent: the Live Activity is there, and has no token yet.
                    let shown = try await sync(#""token":null,\#(place)"#)
                    #expect(shown["activity_id"]?.string == id, "\(shown.text)")
                    #expect(try await stage.status(id)["counts", "shown"]?.int64 == 1)
                } else {
                    expectRefusal(
                        try await sync(#""token":\#(token),\#(place)"#), 400, "VALIDATION_FAILED", naming: "token")
                }
                let body = #"{\#(names),"token":\#(token)}"#
                let answer = try await stage.report("PUT", "push-to-start-token", body)
                expectRefusal(answer, 400, "VALIDATION_FAILED", naming: "token")
            }
            let good = #""token":"0a0b""#
            expectRefusal(try await sync("\(good),\(good),\(place)"), 400, "BAD_REQUEST", naming: "token")
            let name = String(repeating: "x", count: 300)
            for more in ["7", "\"\(name)\""] {
                expectRefusal(
                    try await sync(#"\#(good),\#(place),"system_activity_id":\#(more)"#), 400, "VALIDATION_FAILED",
                    naming: "system_activity_id")
                expectRefusal(
                    try await sync(#"\#(good),\#(place),"activity_type":\#(more)"#), 400, "VALIDATION_FAILED",
                    naming: "activity_type")
                let body = #"{\#(names),\#(good),"activity_type":\#(more)}"#
                let answer = try await stage.report("PUT", "push-to-start-token", body)
                expectRefusal(answer, 400, "VALIDATION_FAILED", naming: "activity_type")
            }
            expectRefusal(try await sync(#"\#(good),"activity_id":7"#), 400, "VALIDATION_FAILED", naming: "activity_id")
            expectRefusal(
                try await sync(#"\#(good),\#(place),"external_id":7"#), 400, "VALIDATION_FAILED",
                naming: "external_id")
            for blank in [#""activity_id":" \t""#, #""activity_type":"\u2003""#, #""x":1"#] {
                expectRefusal(try await sync("\(good),\(blank)"), 400, "ACTIVITY_ID_REQUIRED")
            }
            for unknown in ["no-uuid", UniqueID.random().description] {
                expectRefusal(try await sync(#"\#(good),"activity_id":"\#(unknown)""#), 404, "NOT_FOUND")
            }
            expectRefusal(try await sync(#"\#(good),"activity_type":"Other""#), 404, "NOT_FOUND")
            expectRefusal(
                try await sync(#"\#(good),\#(place),"activity_type":"Other""#), 409, "ACTIVITY_TYPE_MISMATCH",
                naming: TestStage.type)
            let registered = try await stage.register(1)
            expectRefusal(try await sync(#"\#(good),"activity_id":"\#(registered)""#), 409, "NOT_STARTED")
            #expect(try await sync("\(good),\(place)").status == 200)
            #expect(try await sync(#"\#(good),"activity_type":"\#(TestStage.type)""#).status == 200)
        }
    }

    @Test("However many tokens a device has reported, the next one is taken, and the oldest makes way")
    func full() async throws {
        try await TestStage.run { stage in
            let names = #""insider_id":"full","udid":"d""#
            for number in 0..<512 {
                let body = #"{\#(names),"token":"0a","activity_type":"T\#(number)"}"#
                #expect(try await stage.report("PUT", "push-to-start-token", body).status == 200)
            }
            let other = #"{"insider_id":"full","udid":"e","token":"0b"}"#
            #expect(try await stage.report("PUT", "push-to-start-token", other).status == 200)
            let key = "fanfare:{u:\(stage.tenant.tenantID):full}"
            let fields = try await stage.redis(RedisCommand("HKEYS", key)).array ?? []
            #expect(fields.count <= 513, "\(fields.count)")
            let texts = fields.compactMap(\.string)
            #expect(texts.contains { $0.hasSuffix("T511") } && !texts.contains { $0.hasSuffix("T0") })
        }
    }
}
