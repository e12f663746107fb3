import BroadcastCore
import Broadcasts
import EventCore
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Events in the stream", .serialized)
struct EventStreamTests {
    @Test("A start, update and end are told device by device, and each broadcast's end with its counts")
    func wholeLife() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            let count = 500
            try await stage.addDevices(count)
            let id = try await stage.register(count)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == count)
            try await stage.syncAll(0..<count, id)
            let update = try await stage.call("update", TestStage.body(id))
            let end = try await stage.call("end", TestStage.body(id))
            let broadcasts = [start, update, end].map { $0["broadcast_id"]?.string }
            let events = try await stage.events { seen in broadcasts.allSatisfy { seen.hasFinished($0) } }
            let everybody = Set((0..<count).map { TestStage.key($0) })
            for (type, broadcast) in zip(["started", "updated", "ended"], broadcasts) {
                let told = events.of("push.live_activity_\(type)")
                #expect(told.deviceCount == count && told.allSatisfy { $0.text("broadcast_id") == broadcast })
                let devices = told.flatMap(\.devices)
                #expect(devices.count == count && Set(devices) == everybody)
                #expect(told.allSatisfy { ($0.number("count") ?? 0) <= 217 && $0.text("activity_id") == id })
                #expect(told.allSatisfy { $0.text("activity_type") == TestStage.type })
                #expect(told.allSatisfy { $0.text("reason") == (type == "ended" ? "ended_by_api" : nil) })
            }
            let finished = events.of("broadcast.finished")
            #expect(finished.map { $0.text("kind") } == ["start", "update", "end"])
            #expect(finished.allSatisfy { $0.number("accepted") == count && $0.text("state") == "done" })
            #expect(Set(events.map(\.id)).count == events.count)
            #expect(events.allSatisfy { $0.id.hasPrefix("evt_") && WallTime(rfc3339: $0.timestamp) != nil })
            // No event waits to be published.
            #expect(try await stage.keys("fanfare:*:e").isEmpty)
        }
    }

    @Test("Without a stream and webhooks nothing is recorded")
    func off() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(100)
            try await stage.syncAll(0..<100, id)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 100)
            #expect(try await stage.events().isEmpty)
            #expect(try await stage.keys("fanfare:{e:*").isEmpty)
        }
    }

    @Test("Tokens that the provider calls dead are told with their devices")
    func invalidated() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(50)
            let id = try await stage.register(50)
            var script = MockScript()
            script.rules = [
                MockRule(
                    .init(tokens: Set((3..<8).map { TestStage.hex(TestStage.startToken($0)) })),
                    .answer(status: 410, reason: "Unregistered"))
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 45 && start.failed("Unregistered") == 5, "\(start.text)")
            let events = try await stage.events { $0.hasFinished(start["broadcast_id"]?.string) }
            #expect(events.of("push.live_activity_started").deviceCount == 45)
            let dead = events.of("push.live_activity_invalidated")
            #expect(Set(dead.flatMap(\.devices)) == Set((3..<8).map { TestStage.key($0) }))
            #expect(dead.allSatisfy { $0.text("reason") == "token_invalid" })
        }
    }

    @Test("A dismissed Live Activity and one that was ended late are told once each, with the reason")
    func singleLiveActivities() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(3, options: #"{"catch_up":true}"#)
            _ = try await stage.sync(0, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            // This device gets the update by a job of its own, as others get the late end.
            _ = try await stage.sync(1, id)
            try await stage.settled()
            #expect(stage.pushes(.update).count == 2)
            for _ in 0..<2 { #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200) }
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            _ = try await stage.sync(2, id)
            let events = try await stage.events { $0.of("push.live_activity_ended").count == 3 }
            let ended = events.of("push.live_activity_ended")
            #expect(ended.count == 3 && Set(ended.flatMap(\.devices)).count == 3)
            #expect(ended.first { $0.devices == [TestStage.key(0)] }?.text("reason") == "user_dismissed")
            #expect(ended.first { $0.devices == [TestStage.key(2)] }?.text("reason") == "ended_by_api")
        }
    }

    @Test("The thirtieth update in an hour is told, and only that")
    func updateBudget() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(1)
            _ = try await stage.sync(0, id)
            for number in 1...31 {
                let answer = try await stage.call("update", TestStage.body(id))
                #expect(answer["updates_this_hour"]?.int64 == Int64(number))
            }
            let events = try await stage.events { seen in
                seen.of("broadcast.finished").filter { $0.text("kind") == "update" }.count == 31
            }
            let budget = events.of("activity.update_budget")
            #expect(budget.map { $0.number("updates_this_hour") } == [30])
            #expect(budget.first?.text("activity_id") == id)
        }
    }

    @Test("The stream is read page by page, by type, and goes on where the last page ended")
    func pages() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(1000)
            // The outcomes of a page come in parts, and each part is an event.
            let events = try await stage.events { $0.of("broadcast.finished").count == 1 }
            #expect(events.count >= 6 && events.of("push.live_activity_started").deviceCount == 1000)
            let first = try await stage.customer("GET", "events?limit=4")
            #expect(first.elements("events").count == 4)
            let cursor = try #require(first["cursor"]?.string)
            let second = try await stage.customer("GET", "events?limit=100&after=\(cursor)")
            #expect(second.elements("events").compactMap { SeenEvent($0)?.id } == events[4...].map(\.id))
            let last = try #require(second["cursor"]?.string)
            let none = try await stage.customer("GET", "events?after=\(last)")
            let zeros = String(repeating: "0", count: 200)
            for far in ["\(UInt64.max)-0", "0-\(UInt64.max)", "\(zeros)1-\(zeros)1"] {
                #expect(try await stage.customer("GET", "events?after=\(far)").status == 200, "\(far)")
            }
            #expect(none.elements("events").isEmpty && none["cursor"]?.string == last)
            let only = try await stage.customer("GET", "events?types=broadcast.finished,activity.expired")
            #expect(only.elements("events").compactMap { SeenEvent($0)?.text("activity_id") } == [id])
            for query in [
                "limit=0", "limit=501", "limit=", "after=1", "after=x-1", "after=\(UInt64.max)-\(UInt64.max)", "types=",
                "types=webhook.test",
            ] {
                let answer = try await stage.customer("GET", "events?\(query)")
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(query)")
            }
            #expect(try await stage.customer("GET", "events", key: "ffk_none").status == 401)
        }
    }

    @Test("Each tenant has a stream of its own, and what is switched off is not written to")
    func tenants() async throws {
        try await TestStage.run { stage in
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.switchStreamOn()
            _ = try await stage.started(10)
            let events = try await stage.events { $0.count == 2 }
            #expect(events.count == 2)
            #expect(try await stage.events(key: other.apiKey).isEmpty)
            let off = try await stage.customer("PUT", "events/settings", #"{"stream":false}"#)
            #expect(off["stream"]?.bool == false && off["stream_length"]?.int64 == 2)
            let again = try await stage.register(10)
            #expect(try await stage.call("start", TestStage.body(again)).accepted == 10)
            #expect(try await stage.events().count == 2)
            #expect(try await stage.customer("GET", "events/settings")["stream"]?.bool == false)
            #expect(try await stage.customer("PUT", "events/settings", #"{"stream":1}"#).status == 400)
        }
    }

    @Test("The stream keeps no more than its bound")
    func bound() async throws {
        try await TestStage.run(configure: { $0.rules.events.streamLength = 100 }) { stage in
            let store = stage.store
            try await store.events.setEventStream("t", isOn: true)
            for number in 0..<1000 {
                let event = RecordedEvent(
                    id: "evt_\(number)", type: .broadcastFinished, time: .now(), data: Array("{}".utf8))
                #expect(try await store.events.publish([event], tenantID: "t") == 1)
                // A repeated publication adds nothing.
                #expect(try await store.events.publish([event], tenantID: "t") == 0)
            }
            let length = try await store.events.eventStream("t").length
            #expect((100...300).contains(length), "\(length)")
        }
    }

    @Test("An activity whose time is up is told, started or not")
    func expired() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.switchStreamOn()
            let started = try await stage.started(3)
            _ = try await stage.sync(0, started)
            let registered = try await stage.register(3)
            clock.advance(seconds: 7300)
            let events = try await stage.events { seen in
                seen.of("activity.expired").count == 2 && seen.of("push.live_activity_ended").deviceCount == 1
            }
            let expired = events.of("activity.expired")
            #expect(Set(expired.compactMap { $0.text("activity_id") }) == [started, registered])
            #expect(expired.allSatisfy { $0.text("reason") == "expired" && $0.text("ends_at") != nil })
            let ended = events.of("push.live_activity_ended")
            #expect(ended.flatMap(\.devices) == [TestStage.key(0)] && ended[0].text("reason") == "expired")
        }
    }

    @Test("What a killed gateway has written down and not told is told by the one that takes over")
    func takeOver() async throws {
        try await TestStage.run(configure: { options in
            options.jobs.period = .seconds(1)
            options.jobs.limits.silence = .seconds(2)
        }) { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(2000)
            for _ in 0..<20 {
                let id = try #require(UniqueID(try await stage.register(2000)))
                let record = try #require(try await stage.store.activities.activity(id))
                let order = try await stage.store.broadcasts.begin(TestStage.startDraft(), for: record).get()
                guard let job = try await stage.take(order).first else { continue }
                _ = try await stage.store.jobs.open(job, order, owner: "dead")
                #expect(try await stage.note(1, order, owner: "dead") == .written)
                var outcome = PageOutcome(page: 0)
                outcome.accepted = (0..<868).map { UInt16($0) }
                outcome.counts.accepted = 868
                #expect(try await stage.finish(outcome, order, owner: "dead") == .written)
                let events = try await stage.events { $0.hasFinished(order.id.description) }
                let told = events.of("push.live_activity_started").filter {
                    $0.text("broadcast_id") == order.id.description
                }
                #expect(told.deviceCount == 2000 && Set(told.flatMap(\.devices)).count == 2000)
                #expect(Set(events.map(\.id)).count == events.count)
                return
            }
            Issue.record("the gateway was always faster")
        }
    }

    @Test("What was finished by a gateway that was killed before it told of it is told by the next, the end included")
    func finishedAndKilled() async throws {
        try await TestStage.run(configure: { options in
            options.jobs.period = .seconds(1)
            options.jobs.limits.silence = .seconds(2)
        }) { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(500)
            for _ in 0..<20 {
                let id = try #require(UniqueID(try await stage.register(500)))
                let record = try #require(try await stage.store.activities.activity(id))
                let order = try await stage.store.broadcasts.begin(TestStage.startDraft(), for: record).get()
                let dead = UniqueID.random()
                guard let job = try await stage.take(order, as: dead).first else { continue }
                _ = try await stage.store.jobs.open(job, order, owner: "dead")
                #expect(try await stage.note(1, order, owner: "dead") == .written)
                var outcome = PageOutcome(page: 0)
                outcome.accepted = (0..<500).map { UInt16($0) }
                outcome.counts.accepted = 500
                #expect(try await stage.finish(outcome, order, owner: "dead") == .written)
                let finished = try await stage.store.jobs.complete(job, order, as: dead)
                #expect(finished?.counts.accepted == 500)
                let events = try await stage.events { $0.hasFinished(order.id.description) }
                let own = events.filter { $0.text("broadcast_id") == order.id.description }
                let started = own.of("push.live_activity_started")
                #expect(Set(started.flatMap(\.devices)).count == 500 && started.deviceCount == 500)
                #expect(own.of("broadcast.finished").count == 1)
                #expect(stage.pushes(.start).isEmpty)
                return
            }
            Issue.record("the gateway was always faster")
        }
    }
}
