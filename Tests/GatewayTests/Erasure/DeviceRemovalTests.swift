import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import TestStore
import Testing
import TimeCore

@Suite("Removing devices", .serialized)
struct DeviceRemovalTests {
    /// The cause of a device's removal.
    private enum Way: Int, CaseIterable {
        case app, customer
        /// Another device of its user evicts it.
        case newcomer
    }

    /// A user with a tablet, and a phone in one running activity and in one that is not started.
    private struct Owner {
        let way: Way
        var insiderID: String { "anna-\(way.rawValue)" }
        var phone: DeviceKey { DeviceKey(insiderID: insiderID, udid: "phone") }
        var startToken: [UInt8] { [UInt8](repeating: 0xA0 + UInt8(way.rawValue), count: 32) }
        var tabletToken: [UInt8] { startToken.map { $0 + 0x20 } }
        /// The end of the other users' update tokens, which is not that of tokens in earlier activities.
        var tokenEnd: [UInt8] { [0xC0, UInt8(way.rawValue), 0xC0] }
        var updateToken: [UInt8] { [UInt8](repeating: 0xB0 + UInt8(way.rawValue), count: 32) }

        func body(_ udid: String, _ more: String = "") -> String {
            #"{"insider_id":"\#(insiderID)","udid":"\#(udid)"\#(more)}"#
        }
    }

    private func enter(_ owner: Owner, _ stage: TestStage, _ clock: TestClock) async throws -> [String] {
        let (devices, tenant) = (stage.setup.store.devices, stage.tenant.tenantID)
        try await devices.importDevices([(owner.phone, TestStage.phone, owner.startToken)], tenantID: tenant)
        clock.advance(seconds: 1)
        let tablet = DeviceKey(insiderID: owner.insiderID, udid: "tablet")
        try await devices.importDevices([(tablet, TestStage.phone, owner.tabletToken)], tenantID: tenant)
        var ids: [String] = []
        for _ in 0..<2 {
            let registered = try await stage.call(
                "register",
                #"""
                {"activity_type":"\#(TestStage.type)","insider_ids":["\#(owner.insiderID)",\#(TestStage.list(0..<2))],
                 "ends_at":"\#(stage.endsAt())"}
                """#)
            ids.append(try #require(registered["activity_id"]?.string, "\(registered.text)"))
        }
        #expect(try await stage.call("start", TestStage.body(ids[0])).accepted == 4)
        let sync = try await stage.report(
            "POST", "sync",
            owner.body(
                "phone",
                #","token":"\#(TestStage.hex(owner.updateToken))","activity_id":"\#(ids[0])","system_activity_id":"CARD""#
            ))
        #expect(sync.status == 200, "\(sync.text)")
        for number in 0..<2 {
            let token = TestStage.updateToken(number) + owner.tokenEnd
            #expect(try await stage.sync(number, ids[0], token: token).status == 200)
        }
        return ids
    }

    private func remove(_ owner: Owner, _ stage: TestStage) async throws {
        switch owner.way {
        case .app:
            let answer = try await stage.report("DELETE", "device", owner.body("phone"))
            #expect(answer["removed", "devices"]?.int64 == 1, "\(answer.text)")
        case .customer:
            let answer = try await stage.customer("DELETE", "users/\(owner.insiderID)/devices/phone")
            #expect(answer["removed", "devices"]?.int64 == 1, "\(answer.text)")
        case .newcomer: break
        }
        let platform = #","platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true"#
        let answer = try await stage.report(
            "PUT", "device", owner.body("newcomer", #"\#(platform),"environment":"production""#))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Returns the store's data about a user and the activities under uniform names. Times are replaced by their
    /// length.
    private func state(_ owner: Owner, _ ids: [String], _ stage: TestStage) async throws -> [String: [String]] {
        let own = "fanfare:{u:\(stage.tenant.tenantID):\(owner.insiderID)}"
        var keys = try await stage.keys("\(own)*")
        for id in ids { keys += try await stage.keys("fanfare:{\(id)*") }
        var state: [String: [String]] = [:]
        for key in keys where key != "\(own):x" && !key.contains("}:left:") {
            // Many fields of the user's hash hold times.
            let hasTimes = key == own
            var name = key.replacing(owner.insiderID, with: "anna")
            for (number, id) in ids.enumerated() { name = name.replacing(id, with: "activity-\(number)") }
            state[name] = try await content(key, stage).map { field, value in
                // Fields that start with y count the durations of syncs. `starts` and pages of outcomes (o) hold times.
                if hasTimes || field.first.map("yo".utf8.contains) == true || field == Array("starts".utf8) {
                    return "\(field.count) \(value.count)"
                }
                let names = [owner.tabletToken, owner.tokenEnd, Array(owner.insiderID.utf8)]
                return "\(field) \(names.reduce(value) { $0.replacing($1, with: [0]) })"
            }.sorted()
        }
        for (number, id) in ids.enumerated() {
            let fields = [try await stage.field("devices", of: id), try await stage.field("users", of: id)]
            state["members of \(number)"] = fields.map { $0 ?? "" }
        }
        return state
    }

    /// Returns the fields of a hash, or a string without a field.
    private func content(_ key: String, _ stage: TestStage) async throws -> [(field: [UInt8], value: [UInt8])] {
        try await stage.withRedis { redis in
            switch try await redis.value(RedisCommand("TYPE", key)).string {
            case "hash":
                let parts = (try await redis.value(RedisCommand("HGETALL", key)).array ?? []).map { $0.bytes ?? [] }
                return stride(from: 0, to: parts.count, by: 2).map { (parts[$0], parts[$0 + 1]) }
            case "string": return [([], try await redis.value(RedisCommand("GET", key)).bytes ?? [])]
            case let other: return [([], Array((other ?? "").utf8))]
            }
        }
    }

    private func traces(_ owner: Owner, _ stage: TestStage) async throws -> [String] {
        try await stage.withRedis { try await stage.redis.traces(of: [owner.startToken, owner.updateToken], by: $0) }
    }

    private func devices(_ stage: TestStage) async throws -> Int64? {
        for store in stage.gateways.map(\.store) + [stage.setup.store] { await store.usage.flush() }
        let answer = try await stage.customer("GET", "limits")
        return try answer.element("limits", named: "devices")?.member("used")?.int64
    }

    @Test("Whoever has a device removed, its Live Activity is ended and the store is left in the same state")
    func sameState() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock, configure: { $0.api.erasurePatience = .seconds(60) }) { stage in
            _ = try await stage.setup.store.tenants.setTenant(
                stage.tenant.tenantID, limits: [(.devicesPerUser, 2)])
            try await stage.addDevices(2)
            var states: [[String: [String]]] = []
            for way in Way.allCases {
                let owner = Owner(way: way)
                let ids = try await enter(owner, stage, clock)
                let before = try await devices(stage)
                try await remove(owner, stage)
                // The removal ends it at once, before the due queue does.
                try await stage.eventually("its Live Activity is not ended") {
                    stage.pushes(.end).map(\.token).contains(TestStage.hex(owner.updateToken))
                }
                // The closing check is the last task.
                try await stage.eventually("something is left to do for \(way)") {
                    clock.advance(seconds: 1)
                    return try await stage.due().allSatisfy { !$0.contains(owner.insiderID) }
                }
                #expect(try await traces(owner, stage).isEmpty)
                // A new device has replaced the removed one.
                #expect(try await devices(stage) == before)
                states.append(try await state(owner, ids, stage))
                #expect(states.last?["members of 0"] == ["3", "3"] && states.last?["members of 1"] == ["3", "3"])
            }
            #expect(stage.pushes(.end).count == Way.allCases.count)
            // Pages are keys, or fields of their counters.
            let entries = states.first?.values.reduce(0) { $0 + $1.count } ?? 0
            #expect(entries > 8, "\(states.first?.keys.sorted() ?? [])")
            for (way, state) in zip(Way.allCases, states).dropFirst() {
                for key in Set(state.keys).union(states[0].keys).sorted() where state[key] != states[0][key] {
                    Issue.record("\(way): \(key) is \(state[key] ?? []), not \(states[0][key] ?? [])")
                }
            }
        }
    }
}
