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

    @Test("Without an id a sync is for the only activity of its type that waits for a token")
    func byType() async throws {
        try await TestStage.run { stage in
            let first = try await stage.started(1)
            #expect(try await stage.sync(0, first).status == 200)
            let second = try await stage.started(1)
            _ = try await stage.register(1)
            let body = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#, token: [1, 1])
            let answer = try await stage.report("POST", "sync", body)
            #expect(answer.status == 200 && answer["activity_id"]?.string == second)
            let other = TestStage.syncBody(0, #""activity_type":"Other""#, token: [2, 2])
            #expect(try await stage.report("POST", "sync", other).code == "NOT_FOUND")
        }
    }

    @Test("A report by type that may be for several activities is refused, and names them")
    func ambiguous() async throws {
        try await TestStage.run { stage in
            _ = try await stage.put("match", TestStage.topic("live", 1))
            try await stage.addDevices(1)
            try await stage.follow(0..<1, "match")
            let topical = try await stage.activity(of: "match")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            let own = #""activity_type":"\#(TestStage.type)","external_id":"order-1""#
            let opened = try await stage.report("POST", "sync", TestStage.syncBody(0, own, token: [3, 3]))
            let openedID = try #require(opened["activity_id"]?.string)
            let plain = try await stage.started(1)
            let type = #""activity_type":"\#(TestStage.type)""#
            func candidates(_ answer: TestStage.Answer) -> [String: [String?]] {
                var found: [String: [String?]] = [:]
                for entry in answer["details"].map({ Array($0.elements) }) ?? [] {
                    func text(_ name: String) -> String? { (try? entry.member(name))?.string }
                    found[text("activity_id") ?? ""] = [text("topic"), text("external_id")]
                }
                return found
            }
            let sync = try await stage.report("POST", "sync", TestStage.syncBody(0, type, token: [4, 4]))
            #expect(sync.status == 409 && sync.code == "ACTIVITY_AMBIGUOUS", "\(sync.text)")
            #expect(candidates(sync) == [topical: ["match", nil], plain: [nil, nil]])
            let dismissed = try await stage.dismiss(0, type)
            #expect(dismissed.status == 409 && dismissed.code == "ACTIVITY_AMBIGUOUS", "\(dismissed.text)")
            #expect(
                candidates(dismissed) == [
                    topical: ["match", nil], openedID: [nil, "order-1"], plain: [nil, nil],
                ])
            // A token that is bound decides.
            let bound = try await stage.dismiss(0, type + #","token":"0303""#)
            #expect(bound.status == 200 && bound["activity_id"]?.string == openedID, "\(bound.text)")
        }
    }

    @Test("A topic names its activity in a sync, a dismissal and a tap")
    func byTopic() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for topic in ["a", "b"] {
                _ = try await stage.put(topic, TestStage.topic("live", 1))
                try await stage.follow(0..<1, topic)
            }
            let (first, second) = (try await stage.activity(of: "a"), try await stage.activity(of: "b"))
            try await stage.eventually { stage.starts(0..<1) == [2] }
            for (topic, id, token) in [("a", first, "0a0a"), ("b", second, "0b0b")] {
                let key = TestStage.key(0)
                let body = #"{\#(key.fields),"token":"\#(token)","topic":"\#(topic)"}"#
                let answer = try await stage.report("POST", "sync", body)
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
                let tap = #"{\#(key.fields),"topic":"\#(topic)"}"#
                let tapped = try await stage.report("POST", "tap", tap)
                #expect(tapped.status == 200 && tapped["activity_id"]?.string == id, "\(tapped.text)")
            }
            let byID = try await stage.report(
                "POST", "tap", #"{\#(TestStage.key(0).fields),"activity_id":"\#(second)"}"#)
            #expect(byID["activity_id"]?.string == second, "\(byID.text)")
            let dismissed = try await stage.dismiss(0, #""topic":"a""#)
            #expect(dismissed["activity_id"]?.string == first, "\(dismissed.text)")
            #expect(try await stage.state(0, in: first).state == "ended")
            #expect(try await stage.state(0, in: second).state == "active")
            #expect(try await stage.topics("GET", "/b")["followers", "app"]?.int64 == 1)
            for wrong in [#""topic":"none""#, #""topic":"a b""#] {
                let answer = try await stage.dismiss(0, wrong)
                #expect([400, 404].contains(answer.status), "\(answer.text)")
            }
        }
    }

    @Test("A dismissal names what the app opened, and makes nothing")
    func dismissedExternal() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            func own(_ id: String, _ scope: String = "user") -> String {
                #""activity_type":"\#(TestStage.type)","external_id":"\#(id)","external_scope":"\#(scope)""#
            }
            let opened = try await stage.report("POST", "sync", TestStage.syncBody(0, own("order-1"), token: [5, 5]))
            let id = try #require(opened["activity_id"]?.string)
            for unknown in [own("order-2"), own("order-1", "shared")] {
                #expect(try await stage.dismiss(0, unknown).status == 404)
            }
            #expect(try await stage.state(0, in: id).state == "active")
            #expect(try await stage.dismiss(0, own("order-1"))["activity_id"]?.string == id)
            #expect(try await stage.state(0, in: id).reason == "user_dismissed")
            #expect(try await stage.keys("fanfare:{x:*").count == 1)
        }
    }

    @Test("Two topics of a type on one phone keep their tokens apart by the id in the attributes")
    func topicAttribute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let more = #","options":{"activity_id_attribute":"fanfareActivityId"}"#
            var ids: [String] = []
            for topic in ["a", "b"] {
                let put = try await stage.put(topic, TestStage.topic("live", 1, more: more))
                #expect(put.status == 200, "\(put.text)")
                try await stage.follow(0..<1, topic)
                ids.append(try await stage.activity(of: topic))
            }
            try await stage.eventually { stage.starts(0..<1) == [2] }
            let named = stage.pushes(.start).compactMap { push in
                push.aps("attributes").flatMap { try? $0.member("fanfareActivityId") }?.string
            }
            #expect(named.sorted() == ids.sorted())
            for push in stage.pushes(.start) {
                #expect(push.aps("attributes").flatMap { try? $0.member("m") }?.int64 == 1)
            }
            // Contents without an alert keep the key; a topic that begins anew has none.
            _ = try await stage.put("a", TestStage.topic("live", 2, alert: false))
            try await stage.addDevices(2)
            try await stage.follow(1..<2, "a")
            try await stage.eventually { stage.starts(1..<2) == [1] }
            let late = stage.pushes(.start).last?.aps("attributes").flatMap { try? $0.member("fanfareActivityId") }
            #expect(late?.string == ids[0])
            for wrong in [#"7"#, #""""#, #""\#(String(repeating: "x", count: 129))""#] {
                let more = #","options":{"activity_id_attribute":\#(wrong)}"#
                #expect(try await stage.put("c", TestStage.topic("live", 1, more: more)).code == "VALIDATION_FAILED")
            }
        }
    }

    @Test("After a restart the token of the dismissed Live Activity does not displace that of the new one")
    func formerAfterRestart() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            let type = #""activity_type":"\#(TestStage.type)""#
            let old = TestStage.syncBody(0, type, token: [1, 1, 1, 1])
            #expect(try await stage.report("POST", "sync", old).status == 200)
            #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200)
            let again = TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0]))]"#)
            #expect(try await stage.call("restart", again).accepted == 1)
            for isSynced in [false, true] {
                if isSynced { #expect(try await stage.sync(0, id, token: [2, 2, 2, 2]).status == 200) }
                for old in [old, TestStage.syncBody(0, #""activity_id":"\#(id)""#, token: [1, 1, 1, 1])] {
                    let answer = try await stage.report("POST", "sync", old)
                    #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
                    #expect(try await stage.state(0, in: id).state == (isSynced ? "active" : "pending"))
                }
            }
            // Nor does a dismissal with it take it away.
            let former = try await stage.dismiss(0, #""activity_id":"\#(id)","token":"01010101""#)
            #expect(former.status == 200 && former["activity_id"]?.string == id, "\(former.text)")
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            #expect(stage.pushes(.update).map(\.token) == ["02020202"])
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
                let body = """
                    {\(TestStage.key(0).fields),"token":"\(token)","activity_id":"\(id)"}
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
            #expect(try await stage.dismiss(0, #""system_activity_id":"ABC-2""#).status == 404)
            let answer = try await stage.dismiss(0, #""system_activity_id":"ABC-1""#)
            #expect(answer["activity_id"]?.string == id)
        }
    }

    @Test("A device whose user withdraws the consent after the start gets no more updates")
    func consent() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            let device = """
                {\(TestStage.key(1).fields),"platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":false,"environment":"production"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("gdpr_denied") == 1)
            // No push may end its Live Activity, so the app must do so.
            #expect(try await stage.sync(1, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(1, id).status == 404)
            try await stage.settled()
            #expect(stage.pushes(.end).count == 1)
        }
    }

    @Test("A sync without a token says that the Live Activity is there: shown, not synced, and it can be dismissed")
    func shown() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            let key = TestStage.key(1)
            let names = key.fields
            let body = #"{\#(names),"activity_id":"\#(id)","system_activity_id":"CARD"}"#
            for _ in 0..<2 {
                let answer = try await stage.report("POST", "sync", body)
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
            }
            func counts() async throws -> JSONValue? { try await stage.status(id)["counts"] }
            #expect(try await counts()?.member("shown")?.int64 == 1)
            #expect(try await counts()?.member("pending")?.int64 == 2)
            let listed = try await stage.read("/api/v1/live-activity/\(id)/devices?state=shown")
            #expect(
                listed["devices"].map { Array($0.elements).count } == 1 && listed.text.contains(key.insiderID),
                "\(listed.text)")
            // The sync gate still has no device to send to.
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.code == "DEVICE_NOT_SYNCED" && update.skipped("not_synced") == 3)
            let dismissal = #"{\#(names),"system_activity_id":"CARD"}"#
            #expect(try await stage.report("POST", "dismissed", dismissal).status == 200)
            #expect(try await counts()?.member("shown")?.int64 == 0)
            // A late report still counts.
            #expect(try await stage.report("POST", "sync", body).status == 200)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            let late = TestStage.key(2)
            let lateBody = #"{\#(late.fields),"activity_id":"\#(id)"}"#
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
                {\(key.fields),"platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":false,"environment":"production"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            // The older report that the other gateway had received.
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
