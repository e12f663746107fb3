import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Scheduled starts", .serialized)
struct ScheduledStartTests {
    @Test("A start is carried out at its time, lock included: the first of several wins, the others are refused")
    func carriedOut() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3, options: #"{"activity_id_attribute":"aid"}"#)
            let first = try await stage.schedule(id, #""offset":60"#, event: "start", more: #""name":"kick-off""#)
            var others: [String] = []
            for number in 0..<3 {
                others.append(try await stage.schedule(id, #""offset":61"#, event: "start", gateway: number))
            }
            clock.advance(seconds: 60)
            let done = try await stage.ended(schedule: first, of: id)
            #expect(done.text("state") == "done" && done.text("event") == "start" && done.text("name") == "kick-off")
            #expect(done.text("broadcast_id") == first)
            let broadcast = try await stage.ended(try #require(UniqueID(first)))
            #expect(broadcast["kind"]?.string == "start" && broadcast["accepted"]?.int64 == 3, "\(broadcast.text)")
            clock.advance(seconds: 1)
            for schedule in others {
                let refused = try await stage.ended(schedule: schedule, of: id)
                #expect(refused.text("state") == "failed" && refused.text("reason") == "ALREADY_STARTED")
            }
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
            try await stage.settled()
            let pushes = stage.pushes(.start)
            #expect(Set(pushes.map(\.token)) == Set((0..<3).map { TestStage.hex(TestStage.startToken($0)) }))
            #expect(pushes.count == 3)
            for push in pushes {
                #expect(
                    push.aps("attributes").map { String(decoding: $0.slice, as: UTF8.self) }
                        == #"{"aid":"\#(id)","m":1}"#)
                #expect(push.aps("attributes-type")?.string == TestStage.type)
                #expect(push.header("apns-priority") == "10")
            }
            #expect(try await stage.status(id)["state"]?.string == "STARTED")
        }
    }

    @Test("One of the starts due at the same moment on three gateways is carried out")
    func sameMoment() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            var schedules: [String] = []
            for _ in 0..<9 { schedules.append(try await stage.schedule(id, #""offset":5"#, event: "start")) }
            clock.advance(seconds: 5)
            var states: [String: Int] = [:]
            for schedule in schedules {
                let ended = try await stage.ended(schedule: schedule, of: id)
                states["\(ended.text("state") ?? "") \(ended.text("reason") ?? "")", default: 0] += 1
            }
            #expect(states == ["done ": 1, "failed ALREADY_STARTED": 8])
            try await stage.settled()
            #expect(stage.pushes(.start).count == 2)
        }
    }

    @Test("An update that is overdue together with its start waits until a device has reported")
    func overdueTogether() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let start = try await stage.schedule(id, #""offset":60"#, event: "start")
            let update = try await stage.schedule(id, #""offset":62"#)
            clock.advance(seconds: 62)
            #expect(try await stage.ended(schedule: start, of: id).text("state") == "done")
            clock.advance(seconds: 5)
            #expect(try await stage.schedules(id).contains { $0.id == update && $0.fields.text("state") == "pending" })
            #expect(try await stage.sync(0, id).status == 200)
            clock.advance(seconds: 5)
            #expect(try await stage.ended(schedule: update, of: id).text("state") == "done")
            try await stage.settled()
            #expect(stage.pushes(.update).count == 1)
        }
    }

    @Test("A start to a list of devices keeps to it, and a start without devices takes no lock")
    func targets() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3)
            let nobody = try await stage.schedule(
                id, #""offset":5"#, event: "start", more: #""target_devices":[{"insider_id":"x","udid":"y"}]"#)
            let some = try await stage.schedule(
                id, #""offset":6"#, event: "start", more: #""target_devices":[\#(TestStage.targets([2]))]"#)
            clock.advance(seconds: 5)
            let refused = try await stage.ended(schedule: nobody, of: id)
            #expect(refused.text("state") == "failed" && refused.text("reason") == "NO_ELIGIBLE_DEVICE")
            clock.advance(seconds: 1)
            #expect(try await stage.ended(schedule: some, of: id).text("state") == "done")
            try await stage.settled()
            #expect(stage.pushes(.start).map(\.token) == [TestStage.hex(TestStage.startToken(2))])
        }
    }

    @Test("A scheduled start needs whole content, a state that can be started, and a size that can be sent")
    func needs() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1, options: #"{"activity_id_attribute":"aid"}"#)
            func answer(_ id: String, _ content: String?) async throws -> TestStage.Answer {
                try await stage.call(
                    "schedule", TestStage.scheduleBody(id, #""offset":5"#, event: "start", content: content))
            }
            for content in [nil, "{}", #"{"content_state":{}}"#, #"{"title":"a","content_state":{}}"#] {
                #expect(try await answer(id, content).code == "CONTENT_REQUIRED", "\(content ?? "")")
            }
            // The activity's id among the attributes is what makes it too long.
            let room =
                4096 - #"{"aps":{"timestamp":1700000000,"event":"start","content-state":{"x":""},"#.utf8.count
                - #""attributes-type":"\#(TestStage.type)","attributes":{},"input-push-token":1,"#.utf8.count
                - #""alert":{"title":"a","body":"b"}}}"#.utf8.count
            let text = String(repeating: "y", count: room)
            let long = try await answer(id, #"{"title":"a","message":"b","content_state":{"x":"\#(text)"}}"#)
            #expect(long.status == 413 && long.code == "PAYLOAD_TOO_LARGE", "\(long.text)")
            #expect(long["error"]?.string?.contains("4140 bytes") == true, "\(long.text)")
            #expect(try await stage.call("start", TestStage.body(id)).status == 200)
            let late = try await answer(id, TestStage.content)
            #expect(late.status == 409 && late.code == "ALREADY_STARTED", "\(late.text)")
            #expect(try await stage.due() == ["a:\(id)"])
        }
    }

    @Test("With all gateways down at its time it is carried out on return, unless it is too old by then")
    func allDown() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let (patient, strict) = (
                try await stage.register(1, seconds: 86_400), try await stage.register(1, seconds: 86_400)
            )
            _ = try await stage.schedule(patient, #""offset":60"#, event: "start")
            let late = try await stage.schedule(
                strict, #""offset":60"#, event: "start", more: #""options":{"expire_after":3539}"#)
            await stage.gateways[0].stop()
            clock.advance(seconds: 3600)
            let returned = try await stage.startGateway()
            let (patientID, strictID) = (try #require(UniqueID(patient)), try #require(UniqueID(strict)))
            try await stage.eventually("the schedules are not carried out") {
                let first = try await returned.store.schedules.schedules(of: patientID, pending: true)
                let second = try await returned.store.schedules.schedules(of: strictID, pending: true)
                return first.isEmpty && second.isEmpty
            }
            #expect(
                try await returned.store.schedules.schedule(try #require(UniqueID(late)), in: strictID)?.state
                    == .expired)
            #expect(try await returned.store.activities.activity(patientID)?.activity.state == .started)
            #expect(try await returned.store.activities.activity(strictID)?.activity.state == .registered)
            try await stage.settled()
            await returned.stop()
            #expect(stage.pushes(.start).count == 1)
        }
    }

    @Test("An overdue end goes before an overdue start, and nothing is sent")
    func overdueEnd() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            var scenes: [(id: String, schedules: [String])] = []
            for _ in 0..<4 {
                let id = try await stage.register(1, seconds: 86_400)
                var schedules: [String] = []
                for (index, event) in ["start", "update", "end"].enumerated() {
                    schedules.append(try await stage.schedule(id, #""offset":\#(60 + index)"#, event: event))
                }
                scenes.append((id, schedules))
            }
            let returned = try await restart(stage, clock)
            for (id, schedules) in scenes {
                let ended = try await outcomes(schedules, of: id, returned, stage)
                #expect(ended == ["failed NOT_FOUND", "failed NOT_FOUND", "done "])
                #expect(try await state(id, returned) == .dead)
            }
            try await stage.settled()
            await returned.stop()
            #expect(stage.mock.counts().accepted == 0)
        }
    }

    @Test("A start is carried out if what is behind it ends only some devices, comes too late or is not due")
    func otherEnds() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            var scenes: [(id: String, schedules: [String])] = []
            for (time, more) in [
                (#""offset":61"#, #""target_devices":[\#(TestStage.targets([1]))]"#),
                (#""offset":61"#, #""options":{"expire_after":60}"#), (#""offset":7200"#, ""),
            ] {
                let id = try await stage.register(2, seconds: 86_400)
                let start = try await stage.schedule(id, #""offset":60"#, event: "start")
                scenes.append((id, [start, try await stage.schedule(id, time, event: "end", more: more)]))
            }
            let returned = try await restart(stage, clock)
            for ((id, schedules), end) in zip(scenes, ["pending ", "expired ", "pending "]) {
                let left = end == "pending " ? 1 : 0
                #expect(try await outcomes(schedules, of: id, returned, stage, pending: left) == ["done ", end])
                #expect(try await state(id, returned) == .started)
            }
            try await stage.settled()
            await returned.stop()
            #expect(stage.pushes(.start).count == 6)
        }
    }

    @Test("An overdue end waits for its turn if the activity was started by a call")
    func startedByCall() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1, seconds: 86_400)
            var schedules: [String] = []
            for (index, event) in ["start", "update", "end"].enumerated() {
                schedules.append(try await stage.schedule(id, #""offset":\#(60 + index)"#, event: event))
            }
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            let returned = try await restart(stage, clock)
            let ended = try await outcomes(schedules, of: id, returned, stage)
            #expect(ended == ["failed ALREADY_STARTED", "done ", "done "])
            try await stage.settled()
            await returned.stop()
            #expect(stage.pushes(.end).count == 1)
        }
    }

    /// Stops the gateway for an hour.
    private func restart(_ stage: TestStage, _ clock: TestClock) async throws -> Gateway {
        await stage.gateways[0].stop()
        clock.advance(seconds: 3600)
        return try await stage.startGateway()
    }

    /// The states and reasons of schedules, once no more than some of them wait.
    private func outcomes(
        _ schedules: [String], of id: String, _ gateway: Gateway, _ stage: TestStage, pending: Int = 0
    ) async throws -> [String] {
        let (store, activity) = (gateway.store, try #require(UniqueID(id)))
        try await stage.eventually("the schedules are not carried out") {
            try await store.schedules.schedules(of: activity, pending: true).count == pending
        }
        var outcomes: [String] = []
        for schedule in schedules {
            let found = try await store.schedules.schedule(try #require(UniqueID(schedule)), in: activity)
            outcomes.append("\(found?.state.rawValue ?? "") \(found?.reason ?? "")")
        }
        return outcomes
    }

    private func state(_ id: String, _ gateway: Gateway) async throws -> Activity.State? {
        try await gateway.store.activities.activity(try #require(UniqueID(id)))?.activity.state
    }
}
