import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Reading activities that the gateway has ended", .serialized)
struct EndedReadingTests {
    @Test("They tell why they ended, with the reason of each Live Activity, for a day; then they are not there")
    func reasons() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            let expiring = try await stage.started(3, seconds: 3600)
            try await stage.syncAll(0..<2, expiring)
            let long = try await stage.started(3, seconds: 7 * 86_400)
            try await stage.syncAll(0..<1, long)
            clock.advance(seconds: 3600)
            #expect(try await stage.died(expiring) == .expired)
            try await stage.settled()
            let expired = try await stage.status(expiring, gateway: 1)
            #expect(expired["state"]?.string == "DEAD" && expired["end_reason"]?.string == "expired", "\(expired.text)")
            #expect(expired["counts", "ended_by", "expired"]?.int64 == 2 && expired["counts", "pending"]?.int64 == 1)

            clock.advance(seconds: 7 * 3600)
            #expect(try await stage.died(long) == .lifetime)
            try await stage.settled()
            let lifetime = try await stage.status(long)
            #expect(lifetime["end_reason"]?.string == "lifetime", "\(lifetime.text)")
            #expect(lifetime["counts", "ended_by", "lifetime"]?.int64 == 1)
            let broadcast = try #require(expired.elements("broadcasts").first)
            let location = "/api/v1/live-activity/broadcasts/\(broadcast.text("broadcast_id") ?? "")"
            #expect(try await stage.read(location)["kind"]?.string == "end")

            clock.advance(seconds: 17 * 3600)
            #expect(try await stage.status(expiring).code == "NOT_FOUND")
            #expect(try await stage.read("/api/v1/live-activity/\(expiring)/devices").code == "NOT_FOUND")
            #expect(try await stage.read(location).code == "NOT_FOUND")
            let list = try await stage.read("/api/v1/live-activity?state=DEAD")
            let listed = list.elements("activities").map { $0.text("activity_id") }
            #expect(listed == [long])
        }
    }

    @Test("An activity that devices opened has no lifetime, and ends by itself after a week; its name is free then")
    func deviceInitiatedActivity() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let body = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)","external_id":"order-1""#)
            let id = try #require(try await stage.report("POST", "sync", body)["activity_id"]?.string)
            clock.advance(seconds: 7 * 86_400 - 60)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            clock.advance(seconds: 60)
            #expect(try await stage.died(id) == .expired)
            try await stage.settled()
            #expect(stage.pushes(.end).map(\.token) == [TestStage.hex(TestStage.updateToken(0))])
            let next = try #require(try await stage.report("POST", "sync", body)["activity_id"]?.string)
            #expect(next != id)
            #expect(try await stage.call("update", TestStage.body(next)).accepted == 1)
        }
    }
}
