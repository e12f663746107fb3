import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("The pace of an activity's updates", .serialized)
struct UpdateIntervalTests {
    @Test("An activity has a pace of its own, which is told, and bounded")
    func ownPace() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            try await stage.addDevices(1)
            for wrong in ["0", "31", "1.5", #""2s""#] {
                let body = #"""
                    {"activity_type":"\#(TestStage.type)","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())",
                     "options":{"min_update_interval":\#(wrong)}}
                    """#
                let answer = try await stage.call("register", body)
                #expect(answer.code == "VALIDATION_FAILED" && answer.text.contains("options.min_update_interval"))
            }
            let id = try await stage.started(1, options: #"{"min_update_interval":30}"#)
            try await stage.syncAll(0..<1, id)
            let told = try await stage.read("/api/v1/live-activity/\(id)")["options"]
            #expect(try told?.member("min_update_interval")?.int64 == 30)
            // The stage paces nothing by itself.
            let broadcasts = try await updates(3, id, stage)
            for broadcast in broadcasts.prefix(2) {
                #expect(try await stage.ended(broadcast)["state"]?.string == "done")
            }
            let waiting = try await stage.read("/api/v1/live-activity/broadcasts/\(broadcasts[2])")
            #expect(waiting["state"]?.string == "queued")
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["updates_this_hour"]?.int64 == 2)
        }
    }

    @Test("An update that was superseded before it began does not count for the hour, nor one that waits")
    func counted() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(1, options: #"{"min_update_interval":30}"#)
            try await stage.syncAll(0..<1, id)
            let broadcasts = try await updates(4, id, stage)
            #expect(try await stage.ended(broadcasts[2])["state"]?.string == "superseded")
            for broadcast in broadcasts.prefix(2) { _ = try await stage.ended(broadcast) }
            #expect(try await stage.read("/api/v1/live-activity/\(id)")["updates_this_hour"]?.int64 == 2)
        }
    }

    private func updates(_ count: Int, _ id: String, _ stage: TestStage) async throws -> [UniqueID] {
        var broadcasts: [UniqueID] = []
        for _ in 0..<count {
            let broadcast = try await stage.begin("update", TestStage.body(id))
            // The first two leave at once, and would else supersede each other.
            if broadcasts.count < 2 { _ = try await stage.ended(broadcast) }
            broadcasts.append(broadcast)
        }
        return broadcasts
    }
}
