import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Users whose names look alike", .serialized)
struct SpellingTests {
    /// One of two users whose names are the same text in different bytes.
    private struct Twin {
        let name: String
        let path: String
        let udid: String
        let number: UInt8

        var key: DeviceKey { DeviceKey(insiderID: name, udid: udid) }
        var startToken: [UInt8] { [UInt8](repeating: 0xA0 + number, count: 32) }
        var updateToken: [UInt8] { [UInt8](repeating: 0xB0 + number, count: 32) }
        var ownToken: [UInt8] { [UInt8](repeating: 0xC0 + number, count: 32) }
        var names: String { #""insider_id":"\#(name)","udid":"\#(udid)""# }
        var own: String {
            #""activity_type":"\#(TestStage.type)","external_id":"chest","external_scope":"user""#
        }
        var traces: [[UInt8]] {
            [Array(name.utf8), Array(udid.utf8), startToken, updateToken, ownToken]
        }
    }

    private static let composed = Twin(name: "caf\u{E9}", path: "users/caf%C3%A9", udid: "phone-one", number: 1)
    private static let decomposed = Twin(
        name: "cafe\u{301}", path: "users/cafe%CC%81", udid: "phone-two", number: 2)

    /// Adds a user to each place that can hold one: the activity, the topic's followers, and an own activity with an
    /// app schedule. Returns the id of the own activity.
    private func enter(_ twin: Twin, _ activity: String, _ stage: TestStage) async throws -> String {
        func report(_ method: String, _ endpoint: String, _ more: String = "") async throws -> TestStage.Answer {
            let answer = try await stage.report(method, endpoint, "{\(twin.names)\(more)}")
            try #require(answer.status == 200, "\(answer.text)")
            return answer
        }
        _ = try await report(
            "POST", "sync", #","token":"\#(TestStage.hex(twin.updateToken))","activity_id":"\#(activity)""#)
        _ = try await report("PUT", "topics/match/follow")
        let opened = try await report("POST", "sync", #","token":"\#(TestStage.hex(twin.ownToken))",\#(twin.own)"#)
        _ = try await report(
            "POST", "schedule", #",\#(twin.own),"offset":600,"event":"update","content_state":{"n":1}"#)
        return try #require(opened["activity_id"]?.string)
    }

    @Test(
        "The erasure of one of two users whose names differ in their bytes alone leaves all of the other's",
        arguments: [true, false])
    func twins(erasesComposed: Bool) async throws {
        let (gone, kept) =
            erasesComposed ? (Self.composed, Self.decomposed) : (Self.decomposed, Self.composed)
        try await TestStage.run(configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            try await stage.setup.store.devices.importDevices(
                [gone, kept].map { ($0.key, TestStage.phone, $0.startToken) }, tenantID: stage.tenant.tenantID)
            let ids = #""insider_ids":["\#(gone.name)","\#(kept.name)"]"#
            #expect(try await stage.customer("PUT", "segments/vip", "{\(ids)}").status == 200)
            _ = try await stage.put("match", TestStage.topic("upcoming"))
            #expect(try await stage.topics("PUT", "/match/followers", "{\(ids)}").status == 200)
            let registered = try await stage.call(
                "register", #"{"activity_type":"\#(TestStage.type)",\#(ids),"ends_at":"\#(stage.endsAt())"}"#)
            let activity = try #require(registered["activity_id"]?.string, "\(registered.text)")
            #expect(registered["registered_users"]?.int64 == 2, "\(registered.text)")
            #expect(try await stage.call("start", TestStage.body(activity)).accepted == 2)
            let goneOwn = try await enter(gone, activity, stage)
            let keptOwn = try await enter(kept, activity, stage)
            #expect(goneOwn != keptOwn)
            for names in [kept.names, "\(gone.names)},{\(kept.names)", gone.names] {
                _ = try await stage.schedule(activity, #""offset":900"#, more: #""target_devices":[{\#(names)}]"#)
            }
            let before = try await stage.lastingKeys(holding: kept.traces)
            #expect(before.count > 6)

            let erased = try await stage.customer("DELETE", gone.path)
            #expect(erased.status == 200 && erased["complete"]?.bool == true, "\(erased.text)")
            func removed(_ name: String) -> Int64? { erased["removed", name]?.int64 }
            #expect(removed("users") == 1 && removed("devices") == 1 && removed("activities") == 2, "\(erased.text)")
            #expect(removed("live_activities_ended") == 2 && removed("segments") == 1, "\(erased.text)")
            #expect(removed("topics") == 1 && removed("schedules") == 2, "\(erased.text)")

            // Only data for the closing check is left.
            let left = try await stage.redisTraces(of: gone.traces)
            #expect(left.allSatisfy { $0.contains("}:x") || $0.hasSuffix(":due") }, "\(left)")
            let after = try await stage.lastingKeys(holding: kept.traces)
            #expect(
                before.isSubset(of: after), "\(before.subtracting(after).map { String(decoding: $0, as: UTF8.self) })")

            #expect(try await stage.customer("GET", gone.path + "/devices").elements("devices").isEmpty)
            let devices = try await stage.customer("GET", kept.path + "/devices")
            #expect(devices.elements("devices").count == 1 && devices.text.contains(activity), "\(devices.text)")
            #expect(try await stage.customer("GET", "segments/vip")["users"]?.int64 == 1)
            let own = try await stage.customer("GET", "live-activity/\(keptOwn)")
            #expect(own["state"]?.string == "STARTED", "\(own.text)")
            let schedules = stage.setup.store.schedules
            let id = try #require(UniqueID(keptOwn))
            #expect(try await schedules.schedules(of: id, owner: kept.name).count == 1)
            #expect(try await stage.schedules(activity).count { $0.fields.text("state") == "pending" } == 2)
            #expect(try await stage.call("update", TestStage.body(activity)).accepted == 1)
            let starts = stage.pushes(.start).count
            _ = try await stage.put("match", TestStage.topic("live", 1))
            try await stage.eventually("the follower gets no start") { stage.pushes(.start).count == starts + 1 }
            #expect(stage.pushes(.start).last?.token == TestStage.hex(kept.startToken))
        }
    }
}

extension TestStage {
    /// Returns the keys that hold one of these texts, except pages of segments, because each change renames them. Keys
    /// are bytes, because strings that look alike are equal in Swift.
    fileprivate func lastingKeys(holding texts: [[UInt8]]) async throws -> Set<[UInt8]> {
        Set(try await redisTraces(of: texts).filter { !$0.contains("}:g:") }.map { Array($0.utf8) })
    }
}
