import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Reports of devices", .serialized)
struct SyncTests {
    @Test("A token that rotates is pushed to in place of the old one; the same again changes nothing")
    func rotation() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.sync(0, id).status == 200)
            let fresh = [UInt8](repeating: 0xEE, count: 80)
            #expect(try await stage.sync(0, id, token: fresh).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            #expect(stage.pushes(.update).map(\.token) == [TestStage.hex(fresh)])
        }
    }

    @Test("Without an id a sync is for the newest started activity of the type that the device was pushed")
    func newest() async throws {
        try await TestStage.run { stage in
            let first = try await stage.started(1)
            let second = try await stage.started(1)
            let third = try await stage.register(1)
            let body = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#)
            let answer = try await stage.report("POST", "sync", body)
            #expect(answer.status == 200)
            let id = try #require(answer["activity_id"]?.string)
            #expect([first, second].contains(id) && id != third)
            #expect(id == second)
            let other = TestStage.syncBody(0, #""activity_type":"Other""#)
            #expect(try await stage.report("POST", "sync", other).code == "NOT_FOUND")
        }
    }

    @Test("Syncs for activities that are not the device's, or not started, are refused")
    func refused() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            #expect(try await stage.sync(7, id).status == 404)
            let registered = try await stage.register(1)
            #expect(try await stage.sync(0, registered).code == "NOT_STARTED")
            let mismatch = TestStage.syncBody(0, #""activity_id":"\#(id)","activity_type":"Other""#)
            #expect(try await stage.report("POST", "sync", mismatch).code == "ACTIVITY_TYPE_MISMATCH")
            let none = TestStage.syncBody(0, #""x":1"#)
            #expect(try await stage.report("POST", "sync", none).status == 400)
            for token in ["", "abc", "zz", String(repeating: "ab", count: 201)] {
                let key = TestStage.key(0)
                let body = """
                    {"insider_id":"\(key.insiderID)","udid":"\(key.udid)","token":"\(token)","activity_id":"\(id)"}
                    """
                #expect(try await stage.report("POST", "sync", body).code == "VALIDATION_FAILED")
            }
        }
    }

    @Test("A Live Activity is found by the id that iOS gave it")
    func systemActivityID() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let body = TestStage.syncBody(0, #""activity_id":"\#(id)","system_activity_id":"ABC-1""#)
            #expect(try await stage.report("POST", "sync", body).status == 200)
            let key = TestStage.key(0)
            func dismissal(_ system: String) -> String {
                #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)","system_activity_id":"\#(system)"}"#
            }
            #expect(try await stage.report("POST", "dismissed", dismissal("ABC-2")).status == 404)
            let answer = try await stage.report("POST", "dismissed", dismissal("ABC-1"))
            #expect(answer["activity_id"]?.string == id)
        }
    }

    @Test("Whoever takes the consent back after the start is not updated any more")
    func consent() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            let key = TestStage.key(1)
            let device = """
                {"insider_id":"\(key.insiderID)","udid":"\(key.udid)","platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":false,"environment":"production"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("gdpr_denied") == 1)
        }
    }

    @Test("A sync without a token says that the Live Activity is there: shown, not synced, and it can be dismissed")
    func shown() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            let key = TestStage.key(1)
            let names = #""insider_id":"\#(key.insiderID)","udid":"\#(key.udid)""#
            let body = #"{\#(names),"activity_id":"\#(id)","system_activity_id":"CARD"}"#
            for _ in 0..<2 {
                let answer = try await stage.report("POST", "sync", body)
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
            }
            let headers = ["X-Api-Key": stage.tenant.apiKey]
            func counts() async throws -> JSONValue? {
                try await stage.send("GET", "/api/v1/live-activity/\(id)", nil, headers: headers)["counts"]
            }
            #expect(try await counts()?.member("shown")?.int64 == 1)
            #expect(try await counts()?.member("pending")?.int64 == 2)
            let listed = try await stage.send(
                "GET", "/api/v1/live-activity/\(id)/devices?state=shown", nil, headers: headers)
            #expect(
                listed["devices"].map { Array($0.elements).count } == 1 && listed.text.contains(key.insiderID),
                "\(listed.text)")
            // The gate still knows nobody to send to.
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.code == "DEVICE_NOT_SYNCED" && update.skipped("not_synced") == 3)
            let dismissal = #"{\#(names),"system_activity_id":"CARD"}"#
            #expect(try await stage.report("POST", "dismissed", dismissal).status == 200)
            #expect(try await counts()?.member("shown")?.int64 == 0)
            // What has come too late is heard all the same.
            #expect(try await stage.report("POST", "sync", body).status == 200)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            let late = TestStage.key(2)
            let lateBody = #"{"insider_id":"\#(late.insiderID)","udid":"\#(late.udid)","activity_id":"\#(id)"}"#
            #expect(try await stage.report("POST", "sync", lateBody).status == 200)
            #expect(stage.pushes(.end).count == 1)
        }
    }

    @Test("A consent that was withdrawn stays so when a gateway comes with an older report")
    func olderReport() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            // The gateway goes by Redis's clock.
            let asleepAt = WallTime(milliseconds: WallTime.now().milliseconds - 5000)
            let key = TestStage.key(1)
            let device = """
                {"insider_id":"\(key.insiderID)","udid":"\(key.udid)","platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":false,"environment":"production"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            // What the other one had taken before.
            try await stage.gateways[1].store.devices.putDevice(
                TestStage.phone, key, tenantID: stage.tenant.tenantID, receivedAt: asleepAt)
            _ = try await stage.sync(1, id)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("gdpr_denied") == 1, "\(update.text)")
        }
    }

    @Test("Fields of a device are checked and named")
    func deviceFields() async throws {
        try await TestStage.run { stage in
            let good = [
                ("insider_id", "\"a\""), ("udid", "\"b\""), ("platform", "\"ios\""), ("os_version", "\"18.0\""),
                ("push_opt_in", "true"), ("gdpr_consent", "true"), ("environment", "\"sandbox\""),
            ]
            func body(_ replaced: String? = nil, by value: String = "") -> String {
                "{" + good.map { "\"\($0.0)\":\($0.0 == replaced ? value : $0.1)" }.joined(separator: ",") + "}"
            }
            #expect(try await stage.report("PUT", "device", body()).status == 200)
            for (field, _) in good {
                for value in ["null", "[]", "\"\""] {
                    let answer = try await stage.report("PUT", "device", body(field, by: value))
                    #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(field) \(value)")
                    #expect(answer["error"]?.string?.contains(field) == true)
                }
            }
        }
    }
}
