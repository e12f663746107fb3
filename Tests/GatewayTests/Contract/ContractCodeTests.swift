import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

/// Every code of the contract that an activity's life can bring up, with its status. Codes of keys, rates and the store
/// are in `AdmissionTests` and `StoreOutageTests`.
@Suite("Codes of the contract", .serialized)
struct ContractCodeTests {
    private static let unknown = NamedThings.unknown.activity

    @Test("An update before the first report gets a short Retry-After soon after the start, a longer one later")
    func syncPatience() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(1)
            for (seconds, wait) in [(0, "1"), (29, "1"), (1, "5")] {
                clock.advance(seconds: seconds)
                let gate = try await stage.call("update", TestStage.body(id))
                expectRefusal(gate, 409, "DEVICE_NOT_SYNCED")
                #expect(gate.headers["retry-after"] == wait, "\(seconds)")
            }
        }
    }

    @Test("Bodies that are not JSON objects are refused, with the byte of the error")
    func bodies() async throws {
        try await TestStage.run(configure: { $0.api.maximumBodyBytes = 10_000 }) { stage in
            expectRefusal(try await stage.call("register", ""), 400, "REQUEST_INVALID")
            expectRefusal(try await stage.call("register", "{}"), 400, "REQUEST_INVALID")
            expectRefusal(try await stage.call("register", " { } "), 400, "REQUEST_INVALID")
            let text = ["Content-Type": "text/plain"]
            expectRefusal(try await stage.call("register", #"{"a":1}"#, headers: text), 400, "REQUEST_INVALID")
            let charset = ["Content-Type": "application/json; charset=utf-8"]
            expectRefusal(
                try await stage.call("register", #"{"ends_at":1}"#, headers: charset), 400, "ACTIVITY_TYPE_REQUIRED")
            expectRefusal(try await stage.call("register", "\u{FEFF}{\"ends_at\":1}"), 400, "ACTIVITY_TYPE_REQUIRED")
            let broken = try await stage.call("register", #"{"activity_type":"a",}"#)
            expectRefusal(broken, 400, "BAD_REQUEST")
            #expect(broken["error"]?.string?.contains("21") == true, "\(broken.text)")
            expectRefusal(try await stage.call("register", #"{"a":NaN}"#), 400, "BAD_REQUEST")
            expectRefusal(try await stage.call("register", "[1]"), 400, "BAD_REQUEST")
            expectRefusal(try await stage.call("register", #"{"a":"\ud800"}"#), 400, "BAD_REQUEST")
            let twice = #"{"activity_type":"a","activity_\u0074ype":"b"}"#
            expectRefusal(try await stage.call("register", twice), 400, "BAD_REQUEST")
            let large = #"{"a":"\#(String(repeating: "x", count: 10_000))"}"#
            expectRefusal(try await stage.call("register", large), 413, "REQUEST_TOO_LARGE")
        }
    }

    @Test("register checks type, ids and end")
    func register() async throws {
        try await TestStage.run(configure: { $0.api.maximumInsiderIDs = 3 }) { stage in
            try await stage.addDevices(2)
            func body(type: String = #""T""#, ids: String = #"["user-0"]"#, ends: String = "\"\(TestStage.endsAt())\"")
                -> String
            {
                #"{"activity_type":\#(type),"insider_ids":\#(ids),"ends_at":\#(ends)}"#
            }
            expectRefusal(try await stage.call("register", body(type: "null")), 400, "ACTIVITY_TYPE_REQUIRED")
            expectRefusal(try await stage.call("register", body(type: #"" \t ""#)), 400, "ACTIVITY_TYPE_REQUIRED")
            let wrongType = try await stage.call("register", body(type: "7"))
            expectRefusal(wrongType, 400, "VALIDATION_FAILED")
            #expect(wrongType["error"]?.string?.contains("activity_type") == true)
            expectRefusal(try await stage.call("register", body(ids: "[]")), 400, "INSIDER_IDS_OUT_OF_RANGE")
            expectRefusal(try await stage.call("register", body(ids: "null")), 400, "INSIDER_IDS_OUT_OF_RANGE")
            expectRefusal(
                try await stage.call("register", body(ids: #"["a","b","c","d"]"#)), 400, "INSIDER_IDS_OUT_OF_RANGE")
            let wrongElement = try await stage.call("register", body(ids: #"["a",7]"#))
            expectRefusal(wrongElement, 400, "VALIDATION_FAILED")
            #expect(wrongElement["error"]?.string?.contains("insider_ids[1]") == true)
            expectRefusal(try await stage.call("register", body(ids: #""a""#)), 400, "VALIDATION_FAILED")
            expectRefusal(
                try await stage.call("register", body(ends: #""2020-01-01T00:00:00Z""#)), 400, "ENDS_AT_IN_PAST")
            expectRefusal(
                try await stage.call("register", body(ends: "\"\(TestStage.endsAt(200))\"")), 400, "ENDS_AT_TOO_SOON")
            expectRefusal(
                try await stage.call("register", body(ends: "\"\(TestStage.endsAt(8 * 86_400))\"")), 400,
                "ENDS_AT_TOO_FAR")
            expectRefusal(try await stage.call("register", body(ends: #""tomorrow""#)), 400, "VALIDATION_FAILED")
            let nobody = try await stage.call("register", body(ids: #"["ghost"]"#))
            expectRefusal(nobody, 422, "NO_ELIGIBLE_DEVICE")
            #expect(nobody.skipped("unknown_user") == 1)
            let partial = try await stage.call("register", body(ids: #"["user-0","ghost"]"#))
            #expect(partial.status == 200)
            #expect(partial["partial"]?.bool == true)
            #expect(partial["registered_users"]?.int64 == 1 && partial["registered_devices"]?.int64 == 1)
            #expect(partial["activity_id"]?.string.flatMap { UniqueID($0) } != nil)
            #expect(partial["gdpr_denied_details"]?.kind == .array)
            #expect(partial["unprocessed_insider_id_count"]?.int64 == 0)
            #expect(partial.text.hasPrefix(#"{"status":"success","#))
        }
    }

    @Test("Commands check their fields, the activity, its type and its state")
    func commands() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(2)
            for endpoint in ["start", "update", "end", "add-users", "remove-users"] {
                let isList = endpoint.hasSuffix("users")
                let more = isList ? #","insider_ids":["user-2"]}"# : #","content":\#(TestStage.content)}"#
                expectRefusal(
                    try await stage.call(endpoint, #"{"activity_id":"\#(id)"\#(more)"#), 400, "ACTIVITY_TYPE_REQUIRED")
                expectRefusal(
                    try await stage.call(endpoint, #"{"activity_type":"T"\#(more)"#), 400, "ACTIVITY_ID_REQUIRED")
                for missing in [Self.unknown, "no-uuid"] {
                    let body = #"{"activity_id":"\#(missing)","activity_type":"T"\#(more)"#
                    expectRefusal(try await stage.call(endpoint, body), 404, "NOT_FOUND")
                }
                let other = #"{"activity_id":"\#(id)","activity_type":"Other"\#(more)"#
                expectRefusal(try await stage.call(endpoint, other), 409, "ACTIVITY_TYPE_MISMATCH")
            }
            for endpoint in ["start", "update", "end"] {
                for target in ["[7]", #"[{"insider_id":"a"}]"#, #"[{"insider_id":"a","udid":""}]"#] {
                    let body = TestStage.body(id, more: #""target_devices":\#(target)"#)
                    expectRefusal(try await stage.call(endpoint, body), 400, "TARGET_DEVICES_INVALID")
                }
                let body = TestStage.body(id, more: #""target_devices":{}"#)
                expectRefusal(try await stage.call(endpoint, body), 400, "VALIDATION_FAILED")
            }
            for endpoint in ["start", "update"] {
                expectRefusal(try await stage.call(endpoint, TestStage.body(id, content: nil)), 400, "CONTENT_REQUIRED")
                expectRefusal(
                    try await stage.call(endpoint, TestStage.body(id, content: "{}")), 400, "CONTENT_REQUIRED")
            }
            for content in [#"{"title":"a","content_state":{}}"#, #"{"message":"a","content_state":{}}"#] {
                expectRefusal(
                    try await stage.call("start", TestStage.body(id, content: content)), 400, "CONTENT_REQUIRED")
            }
            let wrong = try await stage.call(
                "start", TestStage.body(id, content: #"{"title":1,"message":"b","content_state":{}}"#))
            expectRefusal(wrong, 400, "VALIDATION_FAILED")
            #expect(wrong["error"]?.string?.contains("content.title") == true)
            let priority = TestStage.body(id, more: #""options":{"priority":7}"#)
            expectRefusal(try await stage.call("start", priority), 400, "VALIDATION_FAILED")

            expectRefusal(try await stage.call("update", TestStage.body(id)), 409, "NOT_STARTED")
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            expectRefusal(try await stage.call("start", TestStage.body(id)), 409, "ALREADY_STARTED")
            let users = #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_ids":["user-2"]}"#
            expectRefusal(try await stage.call("add-users", users), 409, "ALREADY_STARTED")
            expectRefusal(try await stage.call("remove-users", users), 409, "ALREADY_STARTED")
            let gate = try await stage.call("update", TestStage.body(id))
            expectRefusal(gate, 409, "DEVICE_NOT_SYNCED")
            #expect(gate.skipped("not_synced") == 2)
            // Phones report soon after their start.
            #expect(gate.headers["retry-after"] == "1" && gate["retry_after"]?.int64 == 1)
            expectRefusal(try await stage.call("end", TestStage.body(id)), 409, "DEVICE_NOT_SYNCED")
            let forced = TestStage.body(id, more: #""options":{"force":true}"#)
            #expect(try await stage.call("end", forced).accepted == 0)
            expectRefusal(try await stage.call("end", TestStage.body(id)), 404, "NOT_FOUND")
            expectRefusal(try await stage.call("start", TestStage.body(id)), 404, "NOT_FOUND")
        }
    }

    @Test("add-users and remove-users change the segment before the start, and are idempotent")
    func segmentChanges() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(5)
            let id = try await stage.register(2)
            func users(_ ids: String) -> String {
                #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_ids":[\#(ids)]}"#
            }
            let added = try await stage.call("add-users", users(#""user-2","user-3","user-0""#))
            #expect(added.status == 200)
            #expect(added["registered_users"]?.int64 == 2)
            #expect(added["activity_id"] == nil)
            expectRefusal(try await stage.call("add-users", users(#""ghost""#)), 422, "NO_ELIGIBLE_DEVICE")
            let removed = try await stage.call("remove-users", users(#""user-1","ghost""#))
            #expect(removed["removed_users"]?.int64 == 1 && removed["removed_devices"]?.int64 == 1)
            #expect(try await stage.call("remove-users", users(#""user-1""#))["removed_users"]?.int64 == 0)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 3)
            let expected = [0, 2, 3].map { TestStage.hex(TestStage.startToken($0)) }
            #expect(stage.pushes(.start).map(\.token).sorted() == expected.sorted())
        }
    }

    @Test("An activity that was never started is cancelled by an end")
    func cancelling() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let end = try await stage.call("end", TestStage.body(id, content: nil))
            #expect(end.status == 200 && end.accepted == 0)
            expectRefusal(try await stage.call("start", TestStage.body(id)), 404, "NOT_FOUND")
        }
    }

    @Test("Devices are skipped by reason at register, and those that changed since at start")
    func skipping() async throws {
        try await TestStage.run { stage in
            func put(_ number: Int, _ fields: String, token: Bool = true) async throws {
                let names = TestStage.key(number).fields
                let device = #"{\#(names),"platform":"ios","environment":"production",\#(fields)}"#
                #expect(try await stage.report("PUT", "device", device).status == 200)
                guard token else { return }
                let body = #"{\#(names),"token":"\#(TestStage.hex(TestStage.startToken(number)))"}"#
                #expect(try await stage.report("PUT", "push-to-start-token", body).status == 200)
            }
            let fine = #""os_version":"17.2","push_opt_in":true,"gdpr_consent":true"#
            try await put(0, fine)
            try await put(1, #""os_version":"17.1.2","push_opt_in":true,"gdpr_consent":true"#)
            try await put(2, #""os_version":"18.0","push_opt_in":false,"gdpr_consent":true"#)
            try await put(3, #""os_version":"18.0","push_opt_in":true,"gdpr_consent":false"#)
            try await put(4, fine, token: false)
            try await put(5, fine)
            let answer = try await stage.call(
                "register",
                """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<7))],"ends_at":"\(TestStage.endsAt())"}
                """)
            #expect(answer.status == 200)
            #expect(answer["registered_devices"]?.int64 == 2)
            for reason in ["os_version", "push_opt_out", "gdpr_denied", "no_push_to_start_token", "unknown_user"] {
                #expect(answer.skipped(reason) == 1, "\(reason)")
            }
            let denied = try #require(answer["gdpr_denied_details"]?.elements.map { $0 })
            #expect(denied.count == 1)
            #expect(try denied.first?.member("insider_id")?.string == "user-3")
            let id = try #require(answer["activity_id"]?.string)
            try await put(5, #""os_version":"17.2","push_opt_in":false,"gdpr_consent":true"#)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 1)
            #expect(start.skipped("push_opt_out") == 1)
        }
    }

    @Test("Another tenant's activity is answered as an unknown one")
    func otherTenant() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            for endpoint in ["start", "update", "end"] {
                let answer = try await stage.call(endpoint, TestStage.body(id), headers: ["X-Api-Key": other.apiKey])
                expectRefusal(answer, 404, "NOT_FOUND")
            }
            let missing = try await stage.call("update", TestStage.body(Self.unknown))
            let foreign = try await stage.call("update", TestStage.body(id), headers: ["X-Api-Key": other.apiKey])
            #expect(missing.bytes == foreign.bytes)
        }
    }

    @Test("A route that does not exist is answered in the contract's form")
    func unknownRoute() async throws {
        try await TestStage.run { stage in
            expectRefusal(try await stage.call("nothing", #"{"a":1}"#), 404, "NOT_FOUND")
            expectRefusal(try await stage.send("GET", "/", nil, headers: [:]), 404, "NOT_FOUND")
            let named = try await stage.send("GET", "/", nil, headers: ["X-Request-Id": "abc-1"])
            #expect(named.headers["x-request-id"] == "abc-1")
            let mad = try await stage.send("GET", "/", nil, headers: ["X-Request-Id": "a b"])
            #expect(mad.headers["x-request-id"] != "a b")
        }
    }
}
