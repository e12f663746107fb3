import GatewayStore
import LiveActivity
import RedisClient
import Testing

@Suite("Events of taps and dismissals", .serialized)
struct TapEventTests {
    private static let tapped = "push.live_activity_tapped"
    private static let dismissed = "push.live_activity_dismissed"

    private func report(
        _ stage: TestStage, _ endpoint: String, _ number: Int, _ more: String, gateway: Int = 0
    ) async throws -> Int {
        let body = #"{\#(TestStage.key(number).fields),\#(more)}"#
        return try await stage.report("POST", endpoint, body, gateway: gateway).status
    }

    @Test("A tap is told with its device, its Live Activity and what last drove it; each is an event of its own")
    func taps() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(2)
            try await stage.sync(0, id, named: "la")
            let key = try #require(try await stage.keys("*:a:\(id)").first)
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la""#) == 200)
            _ = try await stage.redis(RedisCommand("HSET", key, "schedule", "s-1", "schedule_name", "half time"))
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la""#, gateway: 1) == 200)
            let events = try await stage.events().of(Self.tapped)
            try #require(events.count == 2)
            #expect(Set(events.map(\.id)).count == 2)
            for event in events {
                #expect(event.text("insider_id") == TestStage.key(0).insiderID)
                #expect(event.text("udid") == TestStage.key(0).udid && event.text("activity_id") == id)
                #expect(event.text("activity_type") == TestStage.type && event.text("system_activity_id") == "la")
            }
            #expect(events[0].text("schedule_id") == nil && events[0].text("schedule_name") == nil)
            #expect(events[1].text("schedule_id") == "s-1" && events[1].text("schedule_name") == "half time")
        }
    }

    @Test("A tap that is reported again under its name is one tap and one event, on whichever gateway")
    func repeated() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(2)
            try await stage.sync(0, id, named: "la")
            try await stage.sync(1, id, named: "la-1")
            let tap = #""system_activity_id":"la","tap_id":"t1""#
            for gateway in [0, 1, 0] { #expect(try await report(stage, "tap", 0, tap, gateway: gateway) == 200) }
            #expect(try await stage.events().of(Self.tapped).count == 1)
            #expect(try await stage.status(id)["taps"]?.int64 == 1)
            // A second tap, and a tap on another device.
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la","tap_id":"t2""#) == 200)
            #expect(try await report(stage, "tap", 1, #""system_activity_id":"la-1","tap_id":"t1""#) == 200)
            #expect(try await stage.events().of(Self.tapped).count == 3)
            #expect(try await stage.status(id)["taps"]?.int64 == 3)
            for wrong in [#""""#, #""\#(String(repeating: "x", count: 65))""#, "1"] {
                #expect(try await report(stage, "tap", 0, #""system_activity_id":"la","tap_id":\#(wrong)"#) == 400)
            }
        }
    }

    @Test("A dismissal is told once, however often and by whichever name it is reported, beside the end")
    func dismissals() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(3)
            try await stage.sync(0, id, named: "la")
            try await stage.syncAll(1..<3, id)
            for gateway in [0, 1] {
                #expect(try await report(stage, "dismissed", 0, #""activity_id":"\#(id)""#, gateway: gateway) == 200)
                #expect(
                    try await report(stage, "dismissed", 0, #""system_activity_id":"la""#, gateway: gateway) == 200)
            }
            #expect(try await report(stage, "dismissed", 1, #""activity_id":"\#(id)""#) == 200)
            let events = try await stage.events()
            let told = events.of(Self.dismissed)
            #expect(told.compactMap { $0.text("udid") } == [TestStage.key(0).udid, TestStage.key(1).udid])
            #expect(told.map { $0.text("system_activity_id") } == ["la", nil])
            #expect(told.allSatisfy { $0.text("activity_id") == id && $0.text("insider_id") != nil })
            #expect(events.of("push.live_activity_ended").deviceCount == 2)
            // A dismissal after the end is no event.
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            #expect(try await report(stage, "dismissed", 2, #""activity_id":"\#(id)""#) == 200)
            #expect(try await stage.events().of(Self.dismissed).count == 2)
        }
    }

    @Test(
        "A repeated dismissal is no second event when the first is forgotten, and a Live Activity that came since is one"
    )
    func later() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(1)
            try await stage.sync(0, id, named: "first")
            #expect(try await report(stage, "dismissed", 0, #""system_activity_id":"first""#) == 200)
            for key in try await stage.keys("fanfare:{e:*:v:*") { _ = try await stage.redis(RedisCommand("DEL", key)) }
            #expect(try await report(stage, "dismissed", 0, #""system_activity_id":"first""#) == 200)
            #expect(try await report(stage, "dismissed", 0, #""activity_id":"\#(id)""#) == 200)
            #expect(try await stage.events().of(Self.dismissed).count == 1)
            // The Live Activity is started and dismissed again.
            let again = TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0]))]"#)
            #expect(try await stage.call("restart", again).accepted == 1)
            try await stage.sync(0, id, named: "second", token: [5, 5])
            #expect(try await report(stage, "dismissed", 0, #""activity_id":"\#(id)""#) == 200)
            let told = try await stage.events().of(Self.dismissed)
            #expect(told.map { $0.text("system_activity_id") } == ["first", "second"])
        }
    }

    @Test("Without a stream or webhook nothing is recorded; a webhook can ask for these types")
    func off() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.sync(0, id, named: "la")
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la""#) == 200)
            #expect(try await report(stage, "dismissed", 0, #""activity_id":"\#(id)""#) == 200)
            #expect(try await stage.keys("fanfare:{e:*").isEmpty)
            let body = #"{"url":"https://hooks.example.com/","types":["\#(Self.tapped)","\#(Self.dismissed)"]}"#
            #expect(try await stage.customer("POST", "webhooks", body).status == 201)
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la""#) == 200)
            #expect(try await stage.keys("fanfare:{e:*:v:*").count == 1)
        }
    }

    @Test("A tap by a device without a known Live Activity gets the same answer and is no event")
    func unknownLiveActivity() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let taps = [#""activity_id":"\#(id)""#, #""activity_id":"\#(id)","system_activity_id":"made-up""#]
            for tap in taps { #expect(try await report(stage, "tap", 0, tap) == 200) }
            #expect(try await stage.events().isEmpty)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            for tap in taps { #expect(try await report(stage, "tap", 0, tap) == 200) }
            #expect(try await stage.events().of(Self.tapped).count == 2)
        }
    }

    @Test("Events that only devices cause leave the stream of the tenant's calls unchanged")
    func apart() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(2)
            let id = try await stage.opened(0, "chest")
            try await stage.sync(0, id, named: "la-0", token: [1])
            let update = #"\#(TestStage.external("chest")),"offset":60,"event":"update","content_state":{}"#
            #expect(try await report(stage, "schedule", 0, update) == 200)
            clock.advance(seconds: 60)
            _ = try await stage.events { !$0.of("broadcast.finished").isEmpty }
            #expect(try await report(stage, "tap", 0, #""system_activity_id":"la-0""#) == 200)
            #expect(try await report(stage, "dismissed", 0, #""activity_id":"\#(id)""#) == 200)
            let types = Set(try await stage.events().map(\.type))
            for type in ["started", "synced", "updated", "tapped", "dismissed", "ended"] {
                #expect(types.contains("push.live_activity_\(type)"), "\(types)")
            }
            let stream = "fanfare:{e:\(stage.tenant.tenantID)}"
            let own = try await stage.redis(RedisCommand("XLEN", stream)).int
            #expect(own == 0)
            // Events of the tenant's calls about this activity go to the tenant's stream.
            _ = try await stage.opened(1, "chest")
            #expect(try await stage.call("update", TestStage.body(id)).status == 200)
            _ = try await stage.events { $0.of("broadcast.finished").count == 2 }
            let called = try await stage.redis(RedisCommand("XLEN", stream)).int ?? 0
            #expect(called >= 2)
        }
    }

    @Test("A tap and a dismissal are told the schedule of the user's own app")
    func driven() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(2)
            let id = try await stage.opened(0, "chest")
            _ = try await stage.opened(1, "chest")
            try await stage.sync(0, id, named: "la-0", token: [1])
            try await stage.sync(1, id, named: "la-1", token: [2])
            let body = """
                \(TestStage.external("chest")),"offset":60,"event":"update","content_state":{},"name":"ready: now"
                """
            #expect(try await report(stage, "schedule", 0, body) == 200)
            clock.advance(seconds: 60)
            _ = try await stage.events { !$0.of("broadcast.finished").isEmpty }
            for number in 0..<2 {
                #expect(try await report(stage, "tap", number, #""system_activity_id":"la-\#(number)""#) == 200)
                #expect(try await report(stage, "dismissed", number, #""activity_id":"\#(id)""#) == 200)
            }
            let events = try await stage.events()
            for type in [Self.tapped, Self.dismissed] {
                let told = events.of(type)
                #expect(told.map { $0.text("schedule_name") } == ["ready: now", nil], "\(type)")
                #expect(told.map { $0.text("external_id") } == ["chest", "chest"])
                #expect(told.first?.text("schedule_id") != nil)
            }
        }
    }
}
