import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import RosterCore
import Testing
import TimeCore

@Suite("Activities that the gateway ends", .serialized)
struct ExpiryTests {
    @Test("An activity ends at its end time: each synced Live Activity gets one end, with the reason `expired`")
    func expiry() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            let id = try await stage.started(5, seconds: 3600)
            try await stage.syncAll(0..<4, id)
            clock.advance(seconds: 3540)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 4)
            #expect(stage.pushes(.end).isEmpty)
            clock.advance(seconds: 60)
            #expect(try await stage.died(id) == .expired)
            #expect(await stage.mock.waitFor(pushes: 5 + 4 + 4, timeout: .seconds(60)))
            try await stage.settled()
            let ends = stage.pushes(.end)
            #expect(Set(ends.map(\.token)) == Set((0..<4).map { TestStage.hex(TestStage.updateToken($0)) }))
            #expect(ends.count == 4)
            // The end is fresh for as long as a phone shows an ended Live Activity, even after the activity's end time.
            let expiration = String(clock.now.seconds + 4 * 3600)
            #expect(ends.allSatisfy { $0.header("apns-expiration") == expiration })
            #expect(ends.allSatisfy { $0.aps("content-state") == nil && $0.aps("event")?.string == "end" })
            #expect(
                try await stage.statuses(id) == [DeliveryStatus.ended(.expired): 4, DeliveryStatus.startAccepted: 1])
            #expect(try await stage.due().isEmpty)
            #expect(try await stage.call("end", TestStage.body(id)).code == "NOT_FOUND")
        }
    }

    @Test("A Live Activity that reports its token after the expiry gets 404, and an end with that reason")
    func lateLiveActivity() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(2, seconds: 3600)
            clock.advance(seconds: 3600)
            #expect(try await stage.died(id) == .expired)
            try await stage.settled()
            #expect(stage.pushes(.end).isEmpty)
            #expect(try await stage.sync(1, id).code == "NOT_FOUND")
            #expect(await stage.mock.waitFor(pushes: 3, timeout: .seconds(60)))
            #expect(stage.pushes(.end).map(\.token) == [TestStage.hex(TestStage.updateToken(1))])
            try await stage.eventually("the Live Activity's end is not noted") {
                try await stage.statuses(id) == [DeliveryStatus.ended(.expired): 1, DeliveryStatus.startAccepted: 1]
            }
            // One that the customer has ended stays unknown once its time is up.
            let ended = try await stage.started(2, seconds: 3600)
            try await stage.syncAll(0..<1, ended)
            #expect(try await stage.call("end", TestStage.body(ended)).accepted == 1)
            clock.advance(seconds: 3600)
            #expect(try await stage.sync(1, ended).code == "NOT_FOUND")
            try await stage.settled()
            #expect(stage.pushes(.end).count == 2)
        }
    }

    @Test("An activity that was never started becomes dead without a push")
    func neverStarted() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2, seconds: 600)
            clock.advance(seconds: 600)
            #expect(try await stage.died(id) == .expired)
            #expect(try await stage.due().isEmpty)
            #expect(stage.mock.ledgerEntries().isEmpty)
        }
    }

    @Test("Eight hours after its start an activity is ended, for the reason `lifetime`; late Live Activities follow")
    func lifetime() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2, seconds: 7 * 86_400)
            clock.advance(seconds: 86_400)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            try await stage.syncAll(0..<1, id)
            clock.advance(seconds: 8 * 3600 - 60)
            #expect(try await stage.call("update", TestStage.body(id), gateway: 1).accepted == 1)
            clock.advance(seconds: 60)
            #expect(try await stage.died(id) == .lifetime)
            try await stage.settled()
            #expect(stage.pushes(.end).count == 1)
            #expect(try await stage.sync(1, id).status == 200)
            #expect(await stage.mock.waitFor(pushes: 5, timeout: .seconds(60)))
            #expect(stage.pushes(.end).count == 2)
            try await stage.eventually("the Live Activity's end is not noted") {
                try await stage.statuses(id) == [DeliveryStatus.ended(.lifetime): 2]
            }
        }
    }

    @Test("A lifetime can be another one, or none")
    func otherLifetime() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.rules.lifetime = .seconds(60) }) { stage in
            let id = try await stage.started(1, seconds: 86_400)
            clock.advance(seconds: 60)
            #expect(try await stage.died(id) == .lifetime)
        }
        let still = TestClock()
        try await TestStage.run(clock: still, configure: { $0.rules.lifetime = nil }) { stage in
            let id = try await stage.started(1, seconds: 86_400)
            still.advance(seconds: 86_340)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            still.advance(seconds: 60)
            #expect(try await stage.died(id) == .expired)
        }
    }

    @Test("An end by the customer at the very moment of the expiry: one of the two, and one push to each Live Activity")
    func endRacesExpiry() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            for _ in 0..<8 {
                let id = try await stage.started(3, seconds: 3600)
                try await stage.syncAll(0..<3, id)
                let before = stage.pushes(.end).count
                // The customer's call is under way when the time comes.
                async let answer = stage.call("end", TestStage.body(id), gateway: 1)
                clock.advance(seconds: 3600)
                let status = try await answer
                let reason = try await stage.died(id)
                try await stage.settled()
                #expect(stage.pushes(.end).count == before + 3)
                #expect(reason == (status.status == 200 ? .endedByAPI : .expired), "\(status.text)")
            }
        }
    }

    @Test("A start at the very moment of the expiry: nothing, or one start and one end")
    func startRacesExpiry() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(2)
            for _ in 0..<8 {
                let id = try await stage.register(2, seconds: 3600)
                async let answer = stage.call("start", TestStage.body(id), gateway: 1)
                clock.advance(seconds: 3600)
                let status = try await answer
                #expect(try await stage.died(id) == .expired)
                try await stage.settled()
                // A start that the hour overtakes is no longer fresh: what of it is not out is not sent.
                let isWhole = (status.accepted ?? 0) + status.failed("Expired") == 2
                #expect(status.status == 200 ? isWhole : status.code == "NOT_FOUND", "\(status.text)")
                #expect((try await stage.field("end_broadcast", of: id) != nil) == (status.status == 200))
            }
            #expect(try await stage.due().isEmpty)
        }
    }

    @Test("A gateway that takes the expiry and dies leaves it to the others, after a while")
    func lease() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock, configure: { $0.jobs.period = .seconds(1) }) { stage in
            let id = try await stage.started(1, seconds: 3600)
            try await stage.syncAll(0..<1, id)
            let activity = try #require(UniqueID(id))
            // The state that a gateway leaves which takes the expiry in time and is then killed.
            try await stage.store.due.postpone(.activity(activity), until: clock.now + .seconds(3615))
            clock.advance(seconds: 3614)
            #expect(try await stage.call("update", TestStage.body(id)).code == "NOT_FOUND")
            #expect(try await stage.due() == ["a:\(id)"])
            clock.advance(seconds: 1)
            #expect(try await stage.died(id) == .expired)
            try await stage.settled()
            #expect(stage.pushes(.end).count == 1)
        }
    }
}
