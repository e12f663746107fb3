import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

/// Fields of the devices' routes that no other suite holds; `Tests/Contract/sdk.txt` has them all.
@Suite("Fields of reports", .serialized)
struct SDKFieldTests {
    @Test("The fields of a device that may be left out are checked as well")
    func optionalDeviceFields() async throws {
        try await TestStage.run { stage in
            func put(_ more: String) async throws -> TestStage.Answer {
                let body = #"""
                    {"insider_id":"a","udid":"b","platform":"ios","os_version":"18.0","push_opt_in":true,
                     "gdpr_consent":true,"environment":"sandbox"\#(more)}
                    """#
                return try await stage.report("PUT", "device", body)
            }
            for more in ["", #","app_version":"1.2","frequent_pushes":true"#, #","app_version":null"#] {
                #expect(try await put(more).status == 200, "\(more)")
            }
            let long = String(repeating: "1", count: 65)
            for (field, value) in [
                ("app_version", "7"), ("app_version", "\"\(long)\""), ("frequent_pushes", "1"),
                ("frequent_pushes", #""yes""#),
            ] {
                let answer = try await put(#","\#(field)":\#(value)"#)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(field)")
                #expect(answer["error"]?.string?.contains(field) == true, "\(answer.text)")
            }
        }
    }

    @Test("A start goes to the token of its type, and to the typeless one where there is none")
    func tokenOfType() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let key = TestStage.key(0)
            let typed = [UInt8](repeating: 0xEE, count: 32)
            let body = """
                {\(key.fields),"token":"\(TestStage.hex(typed))","activity_type":"Other"}
                """
            #expect(try await stage.report("PUT", "push-to-start-token", body).status == 200)
            for (type, token) in [("Other", typed), (TestStage.type, TestStage.startToken(0))] {
                let registered = try await stage.call(
                    "register",
                    #"{"activity_type":"\#(type)","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}"#)
                let id = try #require(registered["activity_id"]?.string)
                let start = #"{"activity_id":"\#(id)","activity_type":"\#(type)","content":\#(TestStage.content)}"#
                #expect(try await stage.call("start", start).accepted == 1)
                #expect(stage.pushes(.start).last?.token == TestStage.hex(token), "\(type)")
            }
        }
    }

    @Test("No user and no device is called . or .., because no URL can name them")
    func dotSegments() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for (user, device, field) in [(".", "d", "insider_id"), ("..", "d", "insider_id"), ("u", "..", "udid")] {
                let who = #""insider_id":"\#(user)","udid":"\#(device)""#
                for (method, path) in [
                    ("PUT", "device"), ("POST", "sync"), ("PUT", "push-to-start-token"), ("POST", "tap"),
                    ("POST", "dismissed"), ("POST", "schedule"), ("DELETE", "device"),
                ] {
                    let answer = try await stage.report(method, path, "{\(who)}")
                    #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(path): \(answer.text)")
                    #expect(answer["error"]?.string?.hasPrefix("\(field) must be") == true, "\(answer.text)")
                }
            }
            let ids = #"["..",".","\#(TestStage.key(0).insiderID)"]"#
            let body = #"{"activity_type":"T","insider_ids":\#(ids),"ends_at":"\#(TestStage.endsAt())"}"#
            let answer = try await stage.call("register", body)
            #expect(answer["unprocessed_insider_id_count"]?.int64 == 2 && answer["registered_users"]?.int64 == 1)
            for (type, list) in [("application/json", #"{"insider_ids":["a","."]}"#), ("text/csv", "a\n..\n")] {
                let upload = try await stage.send(
                    "PUT", "/api/v1/segments/s", list,
                    headers: ["X-Api-Key": stage.tenant.apiKey, "Content-Type": type])
                #expect(upload.status == 400 && upload.code == "VALIDATION_FAILED", "\(upload.text)")
            }
        }
    }

    @Test("Fields of a dismissal are checked and named")
    func dismissal() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let key = TestStage.key(0)
            func dismiss(_ insiderID: String, _ udid: String, _ more: String) async throws -> TestStage.Answer {
                let body = #"{"insider_id":\#(insiderID),"udid":\#(udid)\#(more)}"#
                return try await stage.report("POST", "dismissed", body)
            }
            let (user, device) = ("\"\(key.insiderID)\"", "\"\(key.udid)\"")
            let place = #","activity_id":"\#(id)""#
            for value in ["null", "7", #""""#] {
                let answer = try await dismiss(value, device, place)
                #expect(answer.code == "VALIDATION_FAILED" && answer.text.contains("insider_id"))
                let other = try await dismiss(user, value, place)
                #expect(other.code == "VALIDATION_FAILED" && other.text.contains("udid"))
            }
            #expect(try await dismiss(user, device, "").code == "ACTIVITY_ID_REQUIRED")
            #expect(try await dismiss(user, device, #","activity_id":7"#).code == "VALIDATION_FAILED")
            #expect(try await dismiss(user, device, #","activity_id":"x""#).status == 404)
            #expect(try await dismiss(#""nobody""#, device, place).status == 404)
            // Beside the activity a name says which of its Live Activities it was.
            let unnamed = try await dismiss(user, device, place + #","system_activity_id":7"#)
            #expect(unnamed.code == "VALIDATION_FAILED" && unnamed.text.contains("system_activity_id"))
            for name in ["first", "second"] {
                let token = [UInt8](repeating: name.utf8.first ?? 0, count: 32)
                try await stage.sync(0, id, named: name, token: token)
            }
            let earlier = try await dismiss(user, device, place + #","system_activity_id":"first""#)
            #expect(earlier["activity_id"]?.string == id)
            #expect(try await stage.status(id)["counts", "active"]?.int64 == 1)
            let present = try await dismiss(user, device, place + #","system_activity_id":"second""#)
            #expect(present["activity_id"]?.string == id)
            #expect(try await stage.status(id)["counts", "active"]?.int64 == 0)
            #expect(try await dismiss(user, device, place)["activity_id"]?.string == id)
        }
    }
}
