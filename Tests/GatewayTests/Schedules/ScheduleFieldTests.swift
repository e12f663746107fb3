import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Fields of schedules", .serialized)
struct ScheduleFieldTests {
    @Test("A schedule is checked at once: fields, times, content, size, and the activity")
    func validation() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1, seconds: 3600)
            let offset = #""offset":60"#
            let large = #"{"content_state":{"x":"\#(String(repeating: "y", count: 4096))"}}"#
            let name = String(repeating: "n", count: 251)
            func expiring(at seconds: Int64) -> String {
                #""options":{"expiration":\#(clock.now.seconds + seconds)}"#
            }
            let refused: [(String, Int, String, String)] = [
                (
                    #"{"event":"update","offset":1,"content":{"content_state":{}}}"#, 400, "ACTIVITY_ID_REQUIRED",
                    "activity_id"
                ),
                (TestStage.scheduleBody(id, offset, event: "restart"), 400, "VALIDATION_FAILED", "event"),
                (TestStage.scheduleBody(id, #""x":1"#), 400, "VALIDATION_FAILED", "offset"),
                (
                    TestStage.scheduleBody(id, #""offset":1,"deliver_at":"\#(stage.endsAt(60))""#), 400,
                    "VALIDATION_FAILED", "deliver_at"
                ),
                (
                    TestStage.scheduleBody(id, offset, event: "start", more: expiring(at: 60)), 400,
                    "VALIDATION_FAILED", "options.expiration"
                ),
                (
                    TestStage.scheduleBody(id, #""deliver_at":"\#(stage.endsAt(60))""#, more: expiring(at: 59)), 400,
                    "VALIDATION_FAILED", "options.expiration"
                ),
                (TestStage.scheduleBody(id, #""offset":-1"#), 400, "VALIDATION_FAILED", "offset"),
                (TestStage.scheduleBody(id, #""offset":"60""#), 400, "VALIDATION_FAILED", "offset"),
                (TestStage.scheduleBody(id, #""offset":3601"#), 400, "VALIDATION_FAILED", "offset"),
                (TestStage.scheduleBody(id, #""deliver_at":"soon""#), 400, "VALIDATION_FAILED", "deliver_at"),
                (
                    TestStage.scheduleBody(id, #""deliver_at":"\#(stage.endsAt(-6))""#), 400, "VALIDATION_FAILED",
                    "deliver_at"
                ),
                (
                    TestStage.scheduleBody(id, #""deliver_at":"\#(stage.endsAt(3600))""#), 400, "VALIDATION_FAILED",
                    "deliver_at"
                ),
                (TestStage.scheduleBody(id, offset, content: nil), 400, "CONTENT_REQUIRED", "content"),
                (
                    TestStage.scheduleBody(id, offset, content: #"{"title":"t"}"#), 400, "CONTENT_REQUIRED",
                    "content_state"
                ),
                (TestStage.scheduleBody(id, offset, content: large), 413, "PAYLOAD_TOO_LARGE", "bytes"),
                (
                    TestStage.scheduleBody(id, offset, more: #""target_devices":[{"insider_id":"a"}]"#), 400,
                    "TARGET_DEVICES_INVALID", "target_devices[0]"
                ),
                (
                    TestStage.scheduleBody(
                        id, offset, more: #""target_devices":[{"insider_id":"\#(name)","udid":"d"}]"#), 400,
                    "TARGET_DEVICES_INVALID", "target_devices[0]"
                ),
                (TestStage.scheduleBody(id, offset, more: #""name":"\#(name)""#), 400, "VALIDATION_FAILED", "name"),
                (
                    TestStage.scheduleBody(id, offset, more: #""options":{"expire_after":-1}"#), 400,
                    "VALIDATION_FAILED", "options.expire_after"
                ),
                (
                    TestStage.scheduleBody(id, offset, more: #""options":{"priority":7}"#), 400, "VALIDATION_FAILED",
                    "options.priority"
                ),
                (
                    TestStage.scheduleBody(id, offset, more: #""options":{"force":true}"#), 400, "VALIDATION_FAILED",
                    "options.force is only for an end"
                ),
                (
                    TestStage.scheduleBody(id, offset, event: "end", more: #""options":{"skip_unchanged":true}"#), 400,
                    "VALIDATION_FAILED", "options.skip_unchanged is only for an update"
                ),
                (
                    TestStage.scheduleBody(id, offset, more: #""activity_type":"Other""#), 409,
                    "ACTIVITY_TYPE_MISMATCH", "activity_type"
                ),
                (TestStage.scheduleBody(UniqueID.random().description, offset), 404, "NOT_FOUND", "activity"),
                (TestStage.scheduleBody("none", offset), 404, "NOT_FOUND", "activity"),
            ]
            for (body, status, code, word) in refused {
                let answer = try await stage.call("schedule", body)
                #expect(answer.status == status && answer.code == code, "\(answer.text) to \(body.prefix(200))")
                #expect(answer["error"]?.string?.contains(word) == true, "\(answer.text)")
            }
            #expect(try await stage.due() == ["a:\(id)"])
            let right = #""activity_type":"\#(TestStage.type)","name":null,"target_devices":[]"#
            #expect(
                try await stage.call("schedule", TestStage.scheduleBody(id, #""offset":3598"#, more: right)).status
                    == 200)
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).status == 200)
            #expect(try await stage.call("schedule", TestStage.scheduleBody(id, offset)).code == "NOT_FOUND")
        }
    }

    @Test("At most a hundred schedules of an activity may wait; ended ones do not count")
    func bound() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            for number in 1...100 { _ = try await stage.schedule(id, #""offset":\#(number)"#) }
            let answer = try await stage.call("schedule", TestStage.scheduleBody(id, #""offset":1"#))
            #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
            clock.advance(seconds: 10)
            try await stage.eventually("the first ten are not carried out") {
                try await stage.schedules(id).count { $0.fields.text("state") == "failed" } == 10
            }
            for _ in 0..<10 { _ = try await stage.schedule(id, #""offset":1000"#) }
            // The list shows a hundred ended schedules, the newest first.
            clock.advance(seconds: 90)
            try await stage.eventually("the others are not carried out") {
                try await stage.schedules(id).count { $0.fields.text("state") == "pending" } == 10
            }
            clock.advance(seconds: 1000)
            try await stage.eventually("the last ten are not carried out") {
                try await stage.schedules(id).allSatisfy { $0.fields.text("state") == "failed" }
            }
            #expect(try await stage.schedules(id).count == 100)
            #expect(try await stage.keys("fanfare:*:a:\(id):s:*").count == 100)
        }
    }

    @Test("Schedules are cancelled by activity, by id and by device, and never another activity's")
    func cancelling() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            let id = try await stage.started(3)
            let other = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            func cancel(_ id: String, _ more: String = "") async throws -> TestStage.Answer {
                let body = #"{"activity_id":"\#(id)"\#(more.isEmpty ? "" : ",\(more)")}"#
                return try await stage.call("schedule/cancel", body, gateway: 1)
            }
            func targets(_ numbers: [Int]) -> String { #""target_devices":[\#(TestStage.targets(numbers))]"# }
            let kept = try await stage.schedule(other, #""offset":60"#)
            let whole = try await stage.schedule(id, #""offset":60"#)
            let single = try await stage.schedule(id, #""offset":61"#, more: targets([1]))
            let pair = try await stage.schedule(id, #""offset":62"#, more: targets([0, 1]))
            let last = try await stage.schedule(id, #""offset":63"#, more: targets([2]))

            // Nothing of the kind is there.
            #expect(try await cancel(id, #""schedule_id":"\#(kept)""#)["canceled"]?.int64 == 0)
            #expect(try await cancel(id, #""schedule_id":"""#)["canceled"]?.int64 == 0)
            #expect(try await cancel(id, #""schedule_id":7"#).code == "VALIDATION_FAILED")
            #expect(try await cancel(id, #""activity_type":"Other""#).code == "ACTIVITY_TYPE_MISMATCH")
            #expect(try await cancel("none").code == "NOT_FOUND")
            #expect(try await stage.call("schedule/cancel", #"{"schedule_id":null}"#).code == "ACTIVITY_ID_REQUIRED")
            #expect(try await stage.schedules(id).count == 4)

            let narrowed = try await cancel(id, targets([1]))
            #expect(narrowed["canceled"]?.int64 == 1 && narrowed["narrowed"]?.int64 == 1, "\(narrowed.text)")
            #expect(try await stage.schedules(id).map(\.id) == [whole, pair, last])
            #expect(try await cancel(id, #""schedule_id":"\#(last)""#)["canceled"]?.int64 == 1)
            clock.advance(seconds: 62)
            #expect(try await stage.ended(schedule: pair, of: id).text("state") == "done")
            _ = try await stage.ended(schedule: whole, of: id)
            try await stage.settled()
            let broadcast = try await stage.ended(try #require(UniqueID(pair)))
            #expect(broadcast["total"]?.int64 == 1, "the second device was taken off the list: \(broadcast.text)")
            #expect(try await cancel(id)["canceled"]?.int64 == 0)

            _ = try await stage.ended(schedule: kept, of: other)
            #expect(try await stage.schedules(other).map { $0.fields.text("reason") } == ["DEVICE_NOT_SYNCED"])
            let again = try await stage.schedule(other, #""offset":60"#)
            #expect(try await cancel(other)["canceled"]?.int64 == 1)
            #expect(try await stage.schedules(other).contains { $0.id == again } == false)
            #expect(!stage.pushes(.update).contains { $0.token == TestStage.hex(TestStage.updateToken(9)) })
            #expect(single != pair)
        }
    }

    @Test("Schedules are listed for their tenant, also when the activity is dead; without an id there is no list")
    func listing() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let late = try await stage.schedule(id, #""offset":20"#, event: "end", content: nil)
            let early = try await stage.schedule(id, #""offset":10"#, more: #""name":"first""#)
            let list = try await stage.schedules(id)
            #expect(list.map(\.id) == [early, late])
            #expect(list.map { $0.fields.text("name") } == ["first", nil])
            #expect(list.map { $0.fields.text("event") } == ["update", "end"])
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).status == 200)
            #expect(try await stage.schedules(id).count == 2)
            let path = "/api/v1/live-activity/schedule"
            #expect(try await stage.read(path).code == "ACTIVITY_ID_REQUIRED")
            #expect(try await stage.read("\(path)?activity_id=x").code == "NOT_FOUND")
            let foreign = try await stage.store.tenants.createTenant(
                name: "other", tier: .growth)
            let answer = try await stage.read("\(path)?activity_id=\(id)", key: foreign.apiKey)
            #expect(answer.status == 404)
            let body = TestStage.scheduleBody(id, #""offset":1"#)
            let scheduled = try await stage.call("schedule", body, headers: ["X-Api-Key": foreign.apiKey])
            #expect(scheduled.code == "NOT_FOUND")
            let cancelled = try await stage.call(
                "schedule/cancel", #"{"activity_id":"\#(id)"}"#, headers: ["X-Api-Key": foreign.apiKey])
            #expect(cancelled.code == "NOT_FOUND")
        }
    }

    @Test("The thirtieth update of an hour warns, a schedule's counts as well, and the next hour begins anew")
    func hours() async throws {
        let clock = TestClock()
        // The hours that count are those of the clock.
        clock.now = WallTime(seconds: (clock.now.seconds / 3600 + 1) * 3600)
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            let id = try await stage.started(1, seconds: 86_400)
            try await stage.syncAll(0..<1, id)
            for number in 1...28 {
                let answer = try await stage.call("update", TestStage.body(id), gateway: number % 2)
                #expect(answer["updates_this_hour"]?.int64 == Int64(number) && answer["warnings"] == nil)
            }
            let schedule = try await stage.schedule(id, #""offset":3598"#)
            clock.advance(seconds: 3598)
            #expect(try await stage.ended(schedule: schedule, of: id).text("state") == "done")
            let last = try await stage.call("update", TestStage.body(id))
            #expect(last["updates_this_hour"]?.int64 == 30)
            #expect(last["warnings"]?.elements.map(\.string) == ["UPDATE_BUDGET"])
            clock.advance(seconds: 2)
            let next = try await stage.call("update", TestStage.body(id))
            #expect(next["updates_this_hour"]?.int64 == 1 && next["warnings"] == nil)
        }
    }
}
