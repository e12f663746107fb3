import GatewayStore
import LiveActivity
import MockAPNs
import MockKit
import RedisClient
import Testing
import TimeCore

@Suite("Events of syncs", .serialized)
struct SyncEventTests {
    private static let synced = "push.live_activity_synced"
    private static let started = "push.live_activity_started"

    /// The devices of events, each with the time since its start.
    private func told(_ events: [SeenEvent]) -> [String: Int64?] {
        var told: [String: Int64?] = [:]
        for device in events.flatMap({ (try? $0.data.member("devices"))??.elements.map { $0 } ?? [] }) {
            let udid = (try? device.member("udid"))??.string ?? ""
            told.updateValue((try? device.member("since_start_ms"))??.int64, forKey: udid)
        }
        return told
    }

    @Test("A new update token causes one event, with its device and the time since its start")
    func synced() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(4)
            for gateway in [0, 1] { #expect(try await stage.sync(0, id, gateway: gateway).status == 200) }
            try await stage.syncAll(1..<3, id)
            // That a Live Activity is there without a token is no sync.
            #expect(try await stage.shown(3, id).status == 200)
            let events = try await stage.events().of(Self.synced)
            let devices = told(events)
            #expect(Set(devices.keys) == Set((0..<3).map { TestStage.key($0).udid }))
            #expect(events.deviceCount == 3)
            for waited in devices.values { #expect((0..<60_000).contains(waited ?? -1)) }
            for event in events {
                #expect(event.text("activity_id") == id && event.text("activity_type") == TestStage.type)
                #expect(event.text("cohort") == "apns" && event.text("external_id") == nil)
            }
            // A token that takes the place of another one is a new one.
            #expect(try await stage.sync(0, id, token: [9, 9]).status == 200)
            #expect(try await stage.events().of(Self.synced).deviceCount == 4)
        }
    }

    @Test("The first report of a Live Activity that an app opened causes one started and one synced event")
    func opened() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(2)
            let own = #""activity_type":"\#(TestStage.type)","external_id":"order-1""#
            for _ in 0..<2 {
                for number in 0..<2 {
                    let answer = try await stage.report("POST", "sync", TestStage.syncBody(number, own))
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
            let events = try await stage.events()
            for type in [Self.started, Self.synced] {
                let found = events.of(type)
                #expect(
                    found.flatMap(\.devices).map(\.udid).sorted() == (0..<2).map { TestStage.key($0).udid }.sorted())
                #expect(found.allSatisfy { $0.text("external_id") == "order-1" && $0.text("broadcast_id") == nil })
            }
            #expect(told(events.of(Self.synced)).values.allSatisfy { $0 == nil })
        }
    }

    @Test("The end of a Live Activity that was opened anew after a dismissal takes no room of the customer's events")
    func openedAnew() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(1)
            let own = #""activity_type":"\#(TestStage.type)","external_id":"order-1""#
            #expect(try await stage.report("POST", "sync", TestStage.syncBody(0, own)).status == 200)
            #expect(try await stage.dismiss(0, own).status == 200)
            let anew = TestStage.syncBody(0, own, token: [7, 7])
            #expect(try await stage.report("POST", "sync", anew).status == 200)
            #expect(await stage.mock.waitFor(timeout: .seconds(60)) { $0.accepted == 1 })
            let finished = try await stage.events { !$0.of("broadcast.finished").isEmpty }
            #expect(finished.of("broadcast.finished").count == 1)
            let stream = "fanfare:{e:\(stage.tenant.tenantID)}"
            #expect(try await stage.redis(RedisCommand("XLEN", stream)).int == 0)
        }
    }

    @Test("A follower's own start and end take no room of the customer's events, those of the topic and its list do")
    func followed() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            try await stage.addDevices(3)
            let stream = "fanfare:{e:\(stage.tenant.tenantID)}"
            func count(_ broadcasts: Int) async throws -> Int64? {
                _ = try await stage.events { $0.of("broadcast.finished").count == broadcasts }
                return try await stage.redis(RedisCommand("XLEN", stream)).int
            }
            _ = try await stage.put("t", TestStage.topic("live", 1))
            _ = try await stage.follow(0, "t")
            let id = try await stage.activity(of: "t")
            // The topic's activity starts.
            let started = try await count(1)
            #expect(started == 2)
            _ = try await stage.follow(1, "t")
            #expect(try await count(2) == started)
            #expect(try await stage.sync(1, id).status == 200)
            _ = try await stage.follow(1, "t", false)
            #expect(try await count(3) == started)
            // The customer's list has another follower.
            let list = #"{"insider_ids":["\#(TestStage.key(2).insiderID)"]}"#
            #expect(try await stage.topics("PUT", "/t/followers", list).status == 200)
            #expect(try await count(4) == started.map { $0 + 2 })
        }
    }

    @Test("A storm of syncs is published in events of many devices")
    func storm() async throws {
        try await TestStage.run { stage in
            try await stage.switchStreamOn()
            let id = try await stage.started(300)
            try await stage.syncAll(0..<300, id)
            let events = try await stage.events().of(Self.synced)
            #expect(events.deviceCount == 300 && Set(events.flatMap(\.devices)).count == 300)
            #expect(events.count < 150, "\(events.count) events")
        }
    }

    @Test("A tenant without a stream or a webhook has no event of a sync")
    func silent() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            #expect(try await stage.keys("fanfare:{e:*").isEmpty)
        }
    }
}
