import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing
import TimeCore

@Suite("Schedules", .serialized)
struct ScheduleTests {
    @Test("An update runs at its time, once, on one of three gateways, byte for byte")
    func update() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            let id = try await stage.started(4)
            try await stage.syncAll(0..<3, id)
            let content = #"{"title":"Half\u0074ime","content_state":{"n": 1.0, "n":1e3,  "é":"\ud83d\ude00"}}"#
            let body = TestStage.scheduleBody(id, #""offset":600"#, content: content, more: #""name":"half-time""#)
            let answer = try await stage.call("schedule", body)
            #expect(
                answer.status == 200 && answer["deliver_at"]?.string == stage.endsAt(600).atMilliseconds(of: answer))
            let schedule = try #require(answer["schedule_id"]?.string)
            clock.advance(seconds: 599)
            #expect(try await stage.schedules(id, gateway: 2).map { $0.fields.text("state") } == ["pending"])
            clock.advance(seconds: 1)
            let done = try await stage.ended(schedule: schedule, of: id, gateway: 1)
            #expect(done.text("state") == "done" && done.text("name") == "half-time")
            #expect(done.text("broadcast_id") == schedule && done.text("event") == "update")
            let broadcast = try await stage.ended(try #require(UniqueID(schedule)))
            #expect(broadcast["accepted"]?.int64 == 3 && broadcast.skipped("not_synced") == 1)
            try await stage.settled()
            let pushes = stage.pushes(.update)
            #expect(pushes.count == 3)
            for push in pushes {
                let state = try #require(push.aps("content-state"))
                #expect(Array(state.slice) == Array(#"{"n": 1.0, "n":1e3,  "é":"\ud83d\ude00"}"#.utf8))
                #expect(push.header("apns-priority") == "10")
            }
            // The content of the schedule is deleted with it.
            let key = "fanfare:{\(try #require(UniqueID(id)).low % 64)}:a:\(id):s:\(schedule)"
            for field in ["before", "after", "targets"] {
                #expect(try await stage.redis(RedisCommand("HEXISTS", key, field)).int == 0)
            }
            #expect(
                try await stage.redis(RedisCommand("HEXISTS", key.replacing(":s:", with: ":b:"), "payload")).int == 0)
        }
    }

    @Test("The activity names the schedule that last changed its Live Activities, until another broadcast comes")
    func attribution() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let schedule = try await stage.schedule(id, #""offset":10"#, more: #""name":"goal""#)
            clock.advance(seconds: 10)
            _ = try await stage.ended(schedule: schedule, of: id)
            #expect(try await stage.field("schedule", of: id) == schedule)
            #expect(try await stage.field("schedule_name", of: id) == "goal")
            #expect(try await stage.call("update", TestStage.body(id)).status == 200)
            #expect(try await stage.field("schedule", of: id) == nil)
            #expect(try await stage.field("schedule_name", of: id) == nil)
        }
    }

    @Test("An end runs at its time, for some devices and for the whole activity")
    func end() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            let at = #""deliver_at":"\#(stage.endsAt(60))""#
            let targets = #""target_devices":[\#(TestStage.targets([1]))]"#
            let some = try await stage.schedule(id, at, event: "end", content: nil, more: targets)
            let all = try await stage.schedule(id, #""offset":120"#, event: "end")
            clock.advance(seconds: 60)
            #expect(try await stage.ended(schedule: some, of: id).text("state") == "done")
            try await stage.settled()
            #expect(stage.pushes(.end).map(\.token) == [TestStage.hex(TestStage.updateToken(1))])
            clock.advance(seconds: 60)
            #expect(try await stage.ended(schedule: all, of: id).text("state") == "done")
            #expect(try await stage.died(id) == .endedByAPI)
            try await stage.settled()
            #expect(stage.pushes(.end).count == 3)
            #expect(try await stage.due().isEmpty)
        }
    }

    @Test("Every check of an API call applies to a schedule at its time; the code is the reason")
    func gates() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let registered = try await stage.register(2)
            let early = try await stage.schedule(registered, #""offset":40"#)
            let id = try await stage.started(2)
            let unsynced = try await stage.schedule(id, #""offset":40"#)
            let unsyncedEnd = try await stage.schedule(id, #""offset":40"#, event: "end")
            clock.advance(seconds: 40)
            let notStarted = try await stage.ended(schedule: early, of: registered)
            #expect(notStarted.text("state") == "failed" && notStarted.text("reason") == "NOT_STARTED")
            for schedule in [unsynced, unsyncedEnd] {
                let refused = try await stage.ended(schedule: schedule, of: id)
                #expect(refused.text("state") == "failed" && refused.text("reason") == "DEVICE_NOT_SYNCED")
            }
            #expect(stage.pushes(.update).isEmpty && stage.pushes(.end).isEmpty)
            let forced = try await stage.schedule(
                id, #""offset":10"#, event: "end", content: nil, more: #""options":{"force":true}"#)
            let dead = try await stage.schedule(id, #""offset":11"#)
            clock.advance(seconds: 10)
            #expect(try await stage.ended(schedule: forced, of: id).text("state") == "done")
            clock.advance(seconds: 1)
            let gone = try await stage.ended(schedule: dead, of: id)
            #expect(gone.text("state") == "failed" && gone.text("reason") == "NOT_FOUND")
            // An end of what was never started cancels it.
            let cancel = try await stage.schedule(registered, #""offset":10"#, event: "end", content: nil)
            clock.advance(seconds: 10)
            #expect(try await stage.ended(schedule: cancel, of: registered).text("state") == "done")
            #expect(try await stage.died(registered) == .endedByAPI)
            #expect(try await stage.due().isEmpty)
        }
    }

    @Test("A schedule missed by all gateways runs on their return, unless it is too old by then")
    func allDown() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(1, seconds: 86_400)
            try await stage.syncAll(0..<1, id)
            let patient = try await stage.schedule(id, #""offset":60"#)
            let inTime = try await stage.schedule(id, #""offset":60"#, more: #""options":{"expire_after":3600}"#)
            let late = try await stage.schedule(id, #""offset":60"#, more: #""options":{"expire_after":3539}"#)
            await stage.gateways[0].stop()
            clock.advance(seconds: 60 + 3540)
            let returned = try await stage.startGateway()
            let store = returned.store
            let activity = try #require(UniqueID(id))
            func state(_ schedule: String) async throws -> Schedule.State? {
                try await store.schedules.schedule(try #require(UniqueID(schedule)), in: activity)?.state
            }
            try await stage.eventually("the schedules are not carried out") {
                try await store.schedules.schedules(of: activity, pending: true).isEmpty
            }
            #expect(try await state(patient) == .done)
            #expect(try await state(inTime) == .done)
            #expect(try await state(late) == .expired)
            try await stage.settled()
            await returned.stop()
            #expect((1...2).contains(stage.pushes(.update).count))
        }
    }

    @Test("An overdue schedule replaces no update that a call requested after its time")
    func newerCall() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let schedule = try await stage.schedule(id, #""offset":60"#, content: #"{"content_state":{"n":1}}"#)
            // Held up, as if its gateway had been killed.
            let item = DueItem.schedule(try #require(UniqueID(schedule)), in: try #require(UniqueID(id)))
            try await stage.setup.store.due.postpone(item, until: clock.now + .seconds(80))
            clock.advance(seconds: 70)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            clock.advance(seconds: 10)
            #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
            let broadcast = try await stage.ended(try #require(UniqueID(schedule)))
            #expect(broadcast.skipped("superseded") == 1, "\(broadcast.text)")
            try await stage.settled()
            #expect(stage.pushes(.update).count == 1)
        }
    }

    @Test("Schedules that fell due while all gateways were down are carried out in the order of their times")
    func orderOnReturn() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            var (updated, ended): ([String], [String]) = ([], [])
            for number in 0..<12 {
                let id = try await stage.started(1)
                try await stage.syncAll(0..<1, id)
                for step in [3, 1, 5, 2, 4] {
                    let content = #"{"content_state":{"activity":\#(number),"step":\#(step)}}"#
                    _ = try await stage.schedule(id, #""offset":\#(60 + step)"#, content: content)
                }
                if number.isMultiple(of: 2) {
                    updated.append(id)
                } else {
                    _ = try await stage.schedule(id, #""offset":66"#, event: "end", content: nil)
                    ended.append(id)
                }
            }
            await stage.gateways[0].stop()
            clock.advance(seconds: 120)
            let returned = try await stage.startGateway()
            for id in updated + ended {
                let activity = try #require(UniqueID(id))
                try await stage.eventually("the schedules are not carried out") {
                    try await returned.store.schedules.schedules(of: activity, pending: true).isEmpty
                }
                let found = try await returned.store.schedules.schedules(of: activity, pending: false)
                #expect(found.allSatisfy { $0.state == .done })
            }
            try await stage.settled()
            await returned.stop()
            // The timestamp and the step of the newest update, by the activity's number.
            var shown: [Int64: (timestamp: Int64, step: Int64)] = [:]
            for push in stage.pushes(.update) {
                let timestamp = try #require(push.aps("timestamp")?.int64)
                let state = try #require(push.aps("content-state"))
                let number = try #require(state.member("activity")?.int64)
                let step = try #require(state.member("step")?.int64)
                if timestamp >= shown[number]?.timestamp ?? 0 { shown[number] = (timestamp, step) }
            }
            #expect(shown.filter { $0.key.isMultiple(of: 2) }.map(\.value.step) == updated.map { _ in 5 })
        }
    }

    @Test("Many schedules of many activities fall due at once on three gateways: each becomes one broadcast")
    func manyAtOnce() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            var expected: [String: Set<String>] = [:]
            for _ in 0..<12 {
                let id = try await stage.started(1)
                try await stage.syncAll(0..<1, id)
                for index in 0..<4 {
                    expected[id, default: []].insert(
                        try await stage.schedule(
                            id, #""offset":60"#, content: TestStage.numberedContent(index), gateway: index % 3))
                }
            }
            clock.advance(seconds: 60)
            for (id, schedules) in expected {
                for schedule in schedules {
                    #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
                }
                #expect(try await stage.field("order", of: id) == "5")
            }
            try await stage.settled()
            #expect(stage.pushes(.update).count <= 48)
        }
    }
}

extension String {
    /// The answer's time when it is the same second; the clock of a test has milliseconds.
    fileprivate func atMilliseconds(of answer: TestStage.Answer) -> String? {
        guard let text = answer["deliver_at"]?.string, let time = WallTime(rfc3339: text),
            let own = WallTime(rfc3339: self), time.seconds == own.seconds
        else { return nil }
        return text
    }
}
