import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing
import TimeCore

@Suite("Erasing users", .serialized)
struct UserErasureTests {
    /// True for the keys that remain until the closing check. They record the erasure and hold no token.
    private func isDocumented(_ key: String) -> Bool {
        key.contains("}:x") || key.hasSuffix(":due")
    }

    /// Adds her to each place that can hold a user.
    private func enter(
        _ stage: TestStage
    ) async throws -> (running: String, registered: String, own: String, match: String) {
        try await stage.addDevices(6)
        try await stage.addAnna()
        try await stage.switchStreamOn()
        _ = try await stage.addWebhook("https://hooks.example.com/")
        let ids = "\(TestStage.list(0..<3)),\"\(Anna.phone.insiderID)\",\(TestStage.list(3..<6))"
        for name in ["vip", "all", "others"] {
            let list = name == "others" ? TestStage.list(0..<6) : ids
            let answer = try await stage.customer("PUT", "segments/\(name)", #"{"insider_ids":[\#(list)]}"#)
            try #require(answer.status == 200, "\(answer.text)")
        }
        func register() async throws -> String {
            let body = #"""
                {"activity_type":"\#(TestStage.type)","insider_ids":[\#(ids)],"ends_at":"\#(stage.endsAt())"}
                """#
            return try #require(try await stage.call("register", body)["activity_id"]?.string)
        }
        let (running, registered) = (try await register(), try await register())
        #expect(try await stage.call("start", TestStage.body(running)).accepted == 8)
        let sync = try await stage.anna(
            "POST", "sync",
            #""token":"\#(TestStage.hex(Anna.updateToken))","activity_id":"\#(running)","system_activity_id":"CARD-1""#)
        #expect(sync.status == 200, "\(sync.text)")
        try await stage.syncAll(0..<2, running)
        #expect(try await stage.anna("POST", "tap", #""system_activity_id":"CARD-1""#).status == 200)

        // She follows the topic that is live, and the customer lists her as a follower of the other.
        _ = try await stage.put("match", TestStage.topic("upcoming"))
        _ = try await stage.put("other", TestStage.topic("upcoming"))
        #expect(try await stage.anna("PUT", "topics/match/follow").status == 200)
        #expect(try await stage.anna("DELETE", "topics/other/follow").status == 200)
        let listed = try await stage.topics("PUT", "/other/followers", #"{"insider_ids":[\#(ids)]}"#)
        #expect(listed.status == 200, "\(listed.text)")
        _ = try await stage.put("match", TestStage.topic("live", 1))
        let match = try await stage.activity(of: "match")
        try await stage.eventually { stage.pushes(.start).count == 8 + 2 }

        // Her own activity with an app schedule, and a customer's schedule for her phone alone.
        let own = #""activity_type":"\#(TestStage.type)","external_id":"chest","external_scope":"user""#
        let token = [UInt8](repeating: 0xB9, count: 32)
        let opened = try await stage.anna("POST", "sync", #""token":"\#(TestStage.hex(token))",\#(own)"#)
        let ownID = try #require(opened["activity_id"]?.string, "\(opened.text)")
        let scheduled = try await stage.anna(
            "POST", "schedule", #"\#(own),"offset":600,"event":"update","content_state":{"n":1}"#)
        #expect(scheduled.status == 200, "\(scheduled.text)")
        let target = #""target_devices":[{\#(Anna.names)}]"#
        let customers = try await stage.call(
            "schedule",
            #"{"activity_id":"\#(running)","event":"update","offset":900,"content":\#(TestStage.content),\#(target)}"#)
        #expect(customers.status == 200, "\(customers.text)")
        let other = #"{\#(TestStage.key(0).fields)}"#
        _ = try await stage.schedule(
            running, #""offset":901"#, more: #""target_devices":[{\#(Anna.names)},\#(other)]"#)
        _ = try await stage.events {
            $0.of("push.live_activity_started").deviceCount >= 8 && !$0.of("push.live_activity_tapped").isEmpty
        }
        return (running, registered, ownID, match)
    }

    @Test("A user who is everywhere is gone within a second, and nothing is left but what the documents name")
    func wholeLife() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock, configure: { $0.api.erasurePatience = .seconds(60) }) {
            stage in
            let life = try await enter(stage)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.addAnna(to: other.tenantID)
            #expect(try await stage.traces(sparing: other.tenantID).count > 12)
            let known = try await stage.customer("GET", "\(Anna.path)/devices")
            #expect(known.elements("devices").count == 2, "\(known.text)")
            for token in [Anna.startToken, Anna.updateToken] { #expect(!known.text.contains(TestStage.hex(token))) }
            #expect(known.text.contains(life.running) && known.text.contains(#""ends_with":"a7a7a7""#))

            let begin = MonotonicTime.now()
            let erased = try await stage.customer("DELETE", Anna.path)
            let duration = MonotonicTime.now() - begin
            #expect(erased.status == 200 && erased["complete"]?.bool == true, "\(erased.text)")
            // A loose bound for busy test machines. The documents have the figure.
            #expect(duration < .seconds(10))
            func removed(_ name: String) -> Int64? { erased["removed", name]?.int64 }
            #expect(removed("users") == 1 && removed("devices") == 2 && removed("tokens") == 2, "\(erased.text)")
            #expect(removed("activities") == 4 && removed("live_activities_ended") == 2, "\(erased.text)")
            #expect(removed("topics") == 2 && removed("segments") == 2 && removed("schedules") == 2, "\(erased.text)")
            #expect((removed("events") ?? 0) >= 2, "\(erased.text)")

            let left = try await stage.traces(sparing: other.tenantID)
            #expect(left.allSatisfy(isDocumented), "\(left)")
            clock.advance(seconds: 11)
            try await stage.eventually("the closing look does not come") {
                try await stage.due().allSatisfy { !$0.contains(Anna.phone.insiderID) }
            }
            // The key expires by Redis's clock, which the test cannot advance.
            _ = try await stage.redis(
                RedisCommand("DEL", "fanfare:{u:\(stage.tenant.tenantID):\(Anna.phone.insiderID)}:x"))
            #expect(try await stage.traces(sparing: other.tenantID).isEmpty)

            let kept = try await stage.schedules(life.running).filter { $0.fields.text("state") == "pending" }
            #expect(kept.count == 1, "what names others as well does not stay for them")

            // Her Live Activity was ended. Pushes reach the others, and no longer her.
            let hers = [Anna.startToken, Anna.tabletToken, Anna.updateToken].map(TestStage.hex)
            let before = stage.mock.ledgerEntries().filter { hers.contains($0.token) }
            #expect(before.count(where: { $0.aps("event")?.string == "end" }) == 1)
            #expect(before.last { $0.token == hers[2] }?.aps("event")?.string == "end")
            #expect(try await stage.call("update", TestStage.body(life.running)).accepted == 2)
            #expect(try await stage.call("start", TestStage.body(life.registered)).accepted == 6)
            _ = try await stage.put("match", TestStage.topic("live", 2))
            let vip = #"""
                {"activity_type":"\#(TestStage.type)","segment":"vip","ends_at":"\#(stage.endsAt())"}
                """#
            #expect(try await stage.call("register", vip)["registered_users"]?.int64 == 6)
            try await stage.eventually { try await stage.keys("fanfare:{*}:unfinished").isEmpty }
            #expect(stage.mock.ledgerEntries().count { hers.contains($0.token) } == before.count)
            #expect(
                try await stage.anna("POST", "sync", #""token":"abcd","activity_id":"\#(life.running)""#).status == 404)

            // A second erasure finds nothing. Her next report makes her a new user; the other tenant's data stays.
            let again = try await stage.customer("DELETE", Anna.path)
            #expect(again.status == 200 && again["removed", "users"]?.int64 == 0, "\(again.text)")
            clock.advance(seconds: 1)
            let device =
                #""platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,"environment":"production""#
            #expect(try await stage.anna("PUT", "device", device).status == 200)
            let fresh = try await stage.customer("GET", "\(Anna.path)/devices")
            #expect(
                fresh.elements("devices").count == 1
                    && fresh.elements("devices").first?.text.contains("activity_id") == false)
            let theirs = try await stage.customer("GET", "\(Anna.path)/devices", key: other.apiKey)
            #expect(theirs.elements("devices").count == 2)
        }
    }

    @Test(
        "Another gateway goes on with an erasure whose gateway was killed"
    )
    func takenOver() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(2)
            try await stage.addAnna()
            let (id, token) = try await stage.annaWatches(with: 2)
            let list = #"{"insider_ids":["\#(Anna.phone.insiderID)"]}"#
            #expect(try await stage.customer("PUT", "segments/vip", list).status == 200)
            // The progress at which the gateway was killed.
            _ = try await stage.setup.store.erasures.begin(Anna.phone.insiderID, tenantID: stage.tenant.tenantID)
            #expect(try await stage.customer("GET", "\(Anna.path)/devices").elements("devices").isEmpty)
            #expect(stage.pushes(.end).isEmpty)
            clock.advance(seconds: 16)
            try await stage.eventually("nobody goes on") { stage.pushes(.end).count == 1 }
            #expect(stage.pushes(.end).map(\.token) == [token])
            try await stage.eventually("something is left") { try await stage.traces().allSatisfy(isDocumented) }
            #expect(try await stage.customer("GET", "segments/vip")["users"]?.int64 == 0)
            #expect(try await stage.call("update", TestStage.body(id)).code == "DEVICE_NOT_SYNCED")
        }
    }

    @Test("A device is forgotten by its own word and by the customer's, with an end to its Live Activity")
    func devices() async throws {
        try await TestStage.run(configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            try await stage.addAnna()
            let (_, token) = try await stage.annaWatches()
            let own = try await stage.anna("DELETE", "device")
            #expect(own.status == 200 && own["removed", "devices"]?.int64 == 1, "\(own.text)")
            #expect(own["removed", "live_activities_ended"]?.int64 == 1 && own["complete"]?.bool == true, "\(own.text)")
            #expect(stage.pushes(.end).map(\.token) == [token])
            let known = try await stage.customer("GET", "\(Anna.path)/devices")
            #expect(known.elements("devices").count == 1 && known.text.contains(Anna.tablet.udid))
            let other = try await stage.customer("DELETE", "\(Anna.path)/devices/tablet%20of%20anna")
            #expect(other["removed", "devices"]?.int64 == 1, "\(other.text)")
            #expect(try await stage.customer("GET", "\(Anna.path)/devices").elements("devices").isEmpty)
            // Repeated removals find nothing, and invalid names are refused.
            #expect(try await stage.customer("DELETE", "\(Anna.path)/devices/x")["removed", "devices"]?.int64 == 0)
            #expect(try await stage.anna("DELETE", "device")["removed", "devices"]?.int64 == 0)
            for path in [
                "users/%00", "users/\(String(repeating: "x", count: 251))", "users/a/devices/%00",
            ] {
                let answer = try await stage.customer("DELETE", path)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(path): \(answer.text)")
            }
        }
    }

    @Test("Who signs out and is erased then is gone from activities of one's own as well, also with a device left over")
    func signedOut() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            try await stage.addAnna()
            var ids: [String] = []
            for (name, names) in [
                ("chest", Anna.names),
                ("gate", Anna.tablet.fields),
            ] {
                let own = #""activity_type":"\#(TestStage.type)","external_id":"\#(name)","external_scope":"user""#
                let token = String(repeating: name == "chest" ? "b9" : "ba", count: 32)
                let opened = try await stage.report("POST", "sync", #"{\#(names),"token":"\#(token)",\#(own)}"#)
                ids.append(try #require(opened["activity_id"]?.string, "\(opened.text)"))
                let scheduled = try await stage.report(
                    "POST", "schedule", #"{\#(names),\#(own),"offset":600,"event":"update","content_state":{"n":1}}"#)
                #expect(scheduled.status == 200, "\(scheduled.text)")
            }
            // Each device is alone in its activity. She is known until the tablet is removed too.
            for (id, path) in zip(ids, [Anna.phone.udid, "tablet%20of%20anna"]) {
                let known = try await stage.customer("GET", "live-activity/\(id)")
                #expect(known["state"]?.string == "STARTED" && known["insider_id"] != nil, "\(known.text)")
                let gone = try await stage.customer("DELETE", "\(Anna.path)/devices/\(path)")
                #expect(gone["removed", "live_activities_ended"]?.int64 == 1, "\(gone.text)")
                let left = try await stage.customer("GET", "live-activity/\(id)")
                #expect(left["state"]?.string == "DEAD" && left["insider_id"] == nil, "\(left.text)")
            }
            #expect(try await stage.customer("DELETE", Anna.path)["complete"]?.bool == true)
            let left = try await stage.traces()
            #expect(left.allSatisfy(isDocumented), "\(left)")
            clock.advance(seconds: 11)
            try await stage.eventually("the closing look does not come") {
                try await stage.due().allSatisfy { !$0.contains(Anna.phone.insiderID) }
            }
            _ = try await stage.redis(
                RedisCommand("DEL", "fanfare:{u:\(stage.tenant.tenantID):\(Anna.phone.insiderID)}:x"))
            #expect(try await stage.traces().isEmpty)
        }
    }

    @Test(
        "Of a tenant that is switched off an app's device is forgotten all the same, and the answer is that of the others"
    )
    func disabledTenant() async throws {
        try await TestStage.run(configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            try await stage.addAnna()
            let (_, token) = try await stage.annaWatches()
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            let gone = try await stage.anna("DELETE", "device")
            #expect(gone.status == 202 && gone.text == #"{"status":"success"}"#, "\(gone.text)")
            #expect(stage.pushes(.end).map(\.token) == [token])
            // Invalid requests are not acknowledged.
            #expect(try await stage.report("DELETE", "device", "{").status == 400)
            #expect(try await stage.report("DELETE", "device", #"{"insider_id":"a"}"#).status == 400)
            // The customer's request is refused while the tenant is disabled.
            #expect(try await stage.customer("DELETE", Anna.path).code == "LIVE_ACTIVITY_DISABLED")
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
            let known = try await stage.customer("GET", "\(Anna.path)/devices")
            #expect(known.elements("devices").count == 1 && known.text.contains(Anna.tablet.udid), "\(known.text)")
        }
    }

    @Test("A reply that cannot wait says that something is left, and that is done all the same")
    func impatient() async throws {
        try await TestStage.run(configure: { $0.api.erasurePatience = .zero }) { stage in
            try await stage.addAnna()
            let list = #"{"insider_ids":["\#(Anna.phone.insiderID)"]}"#
            #expect(try await stage.customer("PUT", "segments/vip", list).status == 200)
            let erased = try await stage.customer("DELETE", Anna.path)
            #expect(erased.status == 200 && erased["removed", "devices"]?.int64 == 2, "\(erased.text)")
            #expect(erased["complete"]?.bool != nil, "\(erased.text)")
            try await stage.eventually("the rest is not done") { try await stage.traces().allSatisfy(isDocumented) }
        }
    }

    @Test("While the provider takes no end the place stays, and nothing else does; it is left when the end has come")
    func noEnd() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.bearTrouble() }) { stage in
            try await stage.addAnna()
            let (id, token) = try await stage.annaWatches()
            stage.mock.setScript(.always(.answer(status: 503, reason: "ServiceUnavailable")))
            let erased = try await stage.customer("DELETE", Anna.path)
            #expect(erased.status == 200 && erased["complete"]?.bool == false, "\(erased.text)")
            let left = try await stage.traces().filter { !isDocumented($0) }
            // Only the keys that the pending end reads are left.
            #expect(
                !left.isEmpty
                    && left.allSatisfy { $0.contains(id) && ["}:u:", "}:i:", "}:c"].contains(where: $0.contains) },
                "\(left)")
            stage.mock.setScript(MockScript())
            try await stage.eventually("the end does not come") {
                clock.advance(seconds: 1)
                return try await stage.traces().allSatisfy(isDocumented)
            }
            #expect(stage.pushes(.end).last?.token == token)
        }
    }
}
