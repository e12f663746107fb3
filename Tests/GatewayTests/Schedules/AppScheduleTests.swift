import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing

@Suite("Schedules of apps", .serialized)
struct AppScheduleTests {
    private static let ready = #""offset":60,"event":"update","content_state":{"ready": true, "n":1.0}"#

    private func schedule(
        _ stage: TestStage, _ number: Int, _ externalID: String = "chest", scope: String? = nil, more: String = ready,
        gateway: Int = 0
    ) async throws -> TestStage.Answer {
        let body = TestStage.appBody(number, externalID, scope: scope, more: more)
        return try await stage.report("POST", "schedule", body, gateway: gateway)
    }

    private func cancel(
        _ stage: TestStage, _ number: Int, _ externalID: String = "chest", scope: String? = nil, more: String = ""
    ) async throws -> TestStage.Answer {
        let body = TestStage.appBody(number, externalID, scope: scope, more: more)
        return try await stage.report("POST", "schedule/cancel", body)
    }

    /// Requests `count` schedules for user 0 at once, over three gateways.
    private func schedules(_ stage: TestStage, _ count: Int) async throws -> [TestStage.Answer] {
        try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
            for number in 0..<count {
                group.addTask { try await schedule(stage, 0, gateway: number % 3) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// The result of a schedule, once it has run.
    private func carriedOut(_ stage: TestStage, _ answer: TestStage.Answer) async throws -> TestStage.Answer {
        let id = try #require(answer["schedule_id"]?.string.flatMap { UniqueID($0) }, "\(answer.text)")
        try await stage.eventually("the schedule is not carried out") {
            try await stage.read("/api/v1/live-activity/broadcasts/\(id)").status == 200
        }
        return try await stage.ended(id)
    }

    /// A second device of user 0, in the shared activity.
    private func tablet(_ stage: TestStage, _ externalID: String = "chest") async throws {
        let key = DeviceKey(insiderID: TestStage.key(0).insiderID, udid: "tablet")
        try await stage.store.devices.importDevices([(key, TestStage.phone, nil)], tenantID: stage.tenant.tenantID)
        let report = """
            {"insider_id":"\(key.insiderID)","udid":"tablet","token":"abcd",\(TestStage.external(externalID))}
            """
        try #require(try await stage.report("POST", "sync", report).status == 200)
    }

    @Test("An Idempotency-Key makes and cancels a schedule once; keys belong to a device")
    func repeated() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(2)
            func ask(
                _ path: String, _ number: Int, _ more: String, gateway: Int = 0
            ) async throws -> TestStage.Answer {
                try await stage.report(
                    "POST", path, TestStage.appBody(number, more: more), headers: ["Idempotency-Key": "one"],
                    gateway: gateway)
            }
            // A user outside the activity leaves nothing in the store.
            #expect(try await ask("schedule", 0, Self.ready).status == 404)
            #expect(try await stage.keys("fanfare:{i:*").isEmpty)
            for number in 0..<2 {
                let report = TestStage.syncBody(number, TestStage.external("chest"))
                try #require(try await stage.report("POST", "sync", report).status == 200)
            }
            let first = try await ask("schedule", 0, Self.ready)
            #expect(first.status == 200 && first.headers["idempotent-replayed"] == nil, "\(first.text)")
            let second = try await ask("schedule", 0, Self.ready, gateway: 1)
            #expect(second.bytes == first.bytes && second.headers["idempotent-replayed"] == "true")
            let other = try await ask("schedule", 0, #""offset":60,"event":"end""#)
            #expect(other.status == 422 && other.code == "IDEMPOTENCY_KEY_REUSED")
            let neighbour = try await ask("schedule", 1, Self.ready)
            #expect(neighbour.status == 200 && neighbour.headers["idempotent-replayed"] == nil, "\(neighbour.text)")
            for isRepetition in [false, true] {
                let canceled = try await ask("schedule/cancel", 0, "")
                #expect(canceled["canceled"]?.int64 == 1, "\(canceled.text)")
                #expect((canceled.headers["idempotent-replayed"] == "true") == isRepetition)
            }
            for key in try await stage.keys("fanfare:{i:*") {
                let left = try await stage.redis(RedisCommand("PTTL", key)).int ?? 0
                #expect((1...3_600_000).contains(left))
            }
        }
    }

    @Test("A schedule runs at its time, once, on all devices that the user then has in the activity")
    func update() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            try await stage.addDevices(3)
            for number in 0..<3 { _ = try await stage.opened(number, "chest") }
            let answer = try await schedule(stage, 0)
            #expect(answer.status == 200 && answer["deliver_at"]?.string != nil, "\(answer.text)")
            // The second device joins between the request and its time.
            try await tablet(stage)
            clock.advance(seconds: 59)
            #expect(stage.pushes(.update).isEmpty)
            clock.advance(seconds: 1)
            #expect(try await carriedOut(stage, answer)["accepted"]?.int64 == 2)
            try await stage.settled()
            let pushes = stage.pushes(.update)
            #expect(Set(pushes.map(\.token)) == [TestStage.hex(TestStage.updateToken(0)), "abcd"])
            #expect(pushes.count == 2)
            for push in pushes {
                #expect(push.aps("content-state").map { Array($0.slice) } == Array(#"{"ready": true, "n":1.0}"#.utf8))
                #expect(push.header("apns-priority") == "5" && push.aps("alert") == nil)
            }
            // Nothing is kept of it.
            #expect(try await stage.keys("*:a:*:us*").isEmpty)
            #expect(try await stage.keys("*:s:*").isEmpty)
        }
    }

    @Test("An end ends this user's Live Activities alone; the activity lives on")
    func end() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(2)
            let shared = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            let answer = try await schedule(
                stage, 0, more: #""offset":60,"event":"end","options":{"dismissal_date":1}"#)
            clock.advance(seconds: 60)
            #expect(try await carriedOut(stage, answer)["accepted"]?.int64 == 1)
            #expect(stage.pushes(.end).map(\.token) == [TestStage.hex(TestStage.updateToken(0))])
            #expect(stage.pushes(.end).first?.aps("dismissal-date")?.int64 == 1)
            #expect(try await stage.status(shared)["state"]?.string == "STARTED")
            #expect(try await stage.call("update", TestStage.body(shared)).accepted == 1)
        }
    }

    @Test("An end that found the device's token dead reaches its next token")
    func endOfDeadToken() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let shared = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            stage.refuse(TestStage.updateToken(0))
            let answer = try await schedule(stage, 0, more: #""offset":60,"event":"end""#)
            clock.advance(seconds: 60)
            #expect(try await carriedOut(stage, answer)["accepted"]?.int64 == 0)
            stage.mock.setScript(MockScript())
            #expect(try await stage.opened(0, "chest", token: [7, 8]) == shared)
            try await stage.settled()
            #expect(stage.pushes(.end).last?.token == "0708")
            #expect(try await stage.call("update", TestStage.body(shared)).accepted == 1)
        }
    }

    @Test("At most twenty schedules of a user and activity wait over all gateways; each ended one frees a place")
    func quota() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 3, clock: clock) { stage in
            try await stage.addDevices(2)
            _ = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            _ = try await stage.opened(0, "chest", scope: "user")
            let answers = try await schedules(stage, 60)
            #expect(answers.count { $0.status == 200 } == 20)
            let refused = answers.filter { $0.status != 200 }
            #expect(refused.allSatisfy { $0.status == 403 && $0.code == "QUOTA_EXCEEDED" })
            #expect(refused.first?["quota"]?.string == "schedules_per_user", "\(refused.first?.text ?? "")")
            // Another user, another activity, and the customer have their own.
            #expect(try await schedule(stage, 1).status == 200)
            #expect(try await schedule(stage, 0, scope: "user").status == 200)
            let id = try await stage.opened(0, "chest")
            _ = try await stage.schedule(id, #""offset":600"#)
            let one = try #require(answers.first { $0.status == 200 }?["schedule_id"]?.string)
            #expect(try await cancel(stage, 0, more: #""schedule_id":"\#(one)""#)["canceled"]?.int64 == 1)
            #expect(try await schedule(stage, 0).status == 200)
            #expect(try await schedule(stage, 0).code == "QUOTA_EXCEEDED")
            clock.advance(seconds: 60)
            try await stage.eventually("the schedules are not carried out") {
                try await stage.keys("*:a:*:us*").isEmpty
            }
            #expect(try await schedule(stage, 0).status == 200)
        }
    }

    @Test("A user cancels one or all of their own; a customer's cancel drops all users', and its list counts them")
    func cancelling() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            _ = try await stage.opened(0, "chest", scope: "user")
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await schedule(stage, 0)["schedule_id"]?.string ?? "") }
            let others = try await schedule(stage, 1)["schedule_id"]?.string ?? ""
            #expect(try await schedule(stage, 0, scope: "user").status == 200)
            let customers = try await stage.schedule(id, #""offset":600"#)
            // Neither another user's nor a customer's.
            for foreign in [others, customers, "", "x"] {
                #expect(
                    try await cancel(stage, 0, more: #""schedule_id":"\#(foreign)""#)["canceled"]?.int64 == 0,
                    "\(foreign)")
            }
            #expect(try await cancel(stage, 0, more: #""schedule_id":"\#(ids[1])""#)["canceled"]?.int64 == 1)
            #expect(try await cancel(stage, 0)["canceled"]?.int64 == 2)
            #expect(try await cancel(stage, 0)["canceled"]?.int64 == 0)
            #expect(try await cancel(stage, 0, scope: "user")["canceled"]?.int64 == 1)

            #expect(try await schedule(stage, 0).status == 200)
            let path = "/api/v1/live-activity/schedule?activity_id=\(id)"
            #expect(try await stage.read(path)["user_schedules"]?.int64 == 2)
            #expect(try await stage.schedules(id).map(\.id) == [customers])
            let some = #"{"activity_id":"\#(id)","target_devices":[\#(TestStage.targets([0]))]}"#
            #expect(try await stage.call("schedule/cancel", some)["canceled"]?.int64 == 0)
            let one = #"{"activity_id":"\#(id)","schedule_id":"\#(others)"}"#
            #expect(try await stage.call("schedule/cancel", one)["canceled"]?.int64 == 1)
            #expect(try await stage.call("schedule/cancel", "{\(TestStage.external("chest"))}")["canceled"]?.int64 == 2)
            #expect(try await stage.read(path)["user_schedules"] == nil)
            clock.advance(seconds: 601)
            try await stage.settled()
            #expect(stage.pushes(.update).isEmpty)
            #expect(try await stage.keys("*:a:*:us*").isEmpty)
        }
    }

    @Test("A customer's cancel drops more users' schedules than one page holds")
    func many() async throws {
        try await TestStage.run { stage in
            let count = 30
            try await stage.addDevices(count)
            var id = ""
            for number in 0..<count {
                id = try await stage.opened(number, "chest")
                for _ in 0..<20 { #expect(try await schedule(stage, number).status == 200) }
            }
            let answer = try await stage.call("schedule/cancel", #"{"activity_id":"\#(id)"}"#)
            #expect(answer["canceled"]?.int64 == Int64(20 * count), "\(answer.text)")
            #expect(try await stage.keys("*:a:*:us*").isEmpty)
        }
    }

    @Test("Only a device that is in the activity schedules for it, as long as it lives")
    func strangers() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            let shared = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest", scope: "user")
            for (number, scope) in [(2, nil), (1, nil), (0, "user"), (2, "user")] {
                #expect(try await schedule(stage, number, scope: scope).code == "NOT_FOUND")
                #expect(try await cancel(stage, number, scope: scope).code == "NOT_FOUND")
            }
            let unknown = TestStage.appBody(0, more: Self.ready, udid: "unknown")
            #expect(try await stage.report("POST", "schedule", unknown).code == "NOT_FOUND")
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            try await stage.store.devices.importDevices(
                [(TestStage.key(0), TestStage.phone, nil)], tenantID: other.tenantID)
            let foreign = ["X-Sdk-Key": other.sdkKey]
            #expect(
                try await stage.report("POST", "schedule", TestStage.appBody(0, more: Self.ready), headers: foreign)
                    .code
                    == "NOT_FOUND")
            #expect(try await stage.call("end", TestStage.body(shared)).accepted == 1)
            #expect(try await schedule(stage, 0).code == "NOT_FOUND")
        }
    }

    @Test("Time, event, content and size of an app's schedule are checked at once")
    func fields() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.opened(0, "chest")
            let long = String(repeating: "x", count: 4100)
            let wrong: [(more: String, status: Int, code: String)] = [
                (#""event":"update","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":-1,"event":"update","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":604800,"event":"update","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":"60","event":"update","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"event":"start","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"event":"","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"title":"","content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"message":[],"content_state":{}"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"event":"update""#, 400, "CONTENT_REQUIRED"),
                (#""offset":60,"event":"update","content_state":[]"#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"event":"end","content_state":1"#, 400, "VALIDATION_FAILED"),
                (
                    #""offset":60,"event":"update","content_state":{},"options":{"priority":7}"#, 400,
                    "VALIDATION_FAILED"
                ),
                (
                    #""offset":60,"event":"update","content_state":{},"options":{"expiration":9}"#, 400,
                    "VALIDATION_FAILED"
                ),
                (#""offset":60,"event":"update","content_state":{},"name":"\#(long)""#, 400, "VALIDATION_FAILED"),
                (#""offset":60,"event":"update","content_state":{"x":"\#(long)"}"#, 413, "PAYLOAD_TOO_LARGE"),
            ]
            for (more, status, code) in wrong {
                let answer = try await schedule(stage, 0, more: more)
                #expect(answer.status == status && answer.code == code, "\(more.prefix(90)): \(answer.text)")
            }
            #expect(try await stage.keys("*:a:*:us*").isEmpty)
        }
    }

    @Test("A tap names the schedule that last changed the user's own Live Activity, and no other user's")
    func attribution() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            for number in 0..<2 {
                let named = #""activity_id":"\#(id)","system_activity_id":"la-\#(number)""#
                let token: [UInt8] = [1, UInt8(number)]
                #expect(
                    try await stage.report("POST", "sync", TestStage.syncBody(number, named, token: token)).status
                        == 200)
            }
            func tap(_ number: Int) async throws -> TestStage.Answer {
                let key = TestStage.key(number)
                return try await stage.report(
                    "POST", "tap", #"{\#(key.fields),"system_activity_id":"la-\#(number)"}"#)
            }
            let customers = try await stage.schedule(id, #""offset":10"#, more: #""name":"sale""#)
            clock.advance(seconds: 10)
            _ = try await stage.ended(schedule: customers, of: id)
            let answer = try await schedule(stage, 0, more: Self.ready + #","name":"a:b""#)
            let schedule = try #require(answer["schedule_id"]?.string)
            clock.advance(seconds: 60)
            _ = try await carriedOut(stage, answer)
            let own = try await tap(0)
            #expect(own["schedule_id"]?.string == schedule && own["schedule_name"]?.string == "a:b", "\(own.text)")
            #expect(try await tap(1)["schedule_name"]?.string == "sale")
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
            #expect(try await tap(0)["schedule_id"] == nil)
            #expect(try await tap(1)["schedule_id"] == nil)
        }
    }
}
