import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import RosterCore
import Testing
import TimeCore

@Suite("Devices that catch up", .serialized)
struct CatchUpTests {
    private static let options = #"{"catch_up":true}"#

    private func content(_ number: Int) -> String { #"{"content_state":{"n": \#(number).0}}"# }

    /// The updates pushed to a token, in the order of the mock's ledger.
    private func states(_ stage: TestStage, _ token: [UInt8]) -> [String] {
        stage.pushes(.update).filter { $0.token == TestStage.hex(token) }.compactMap {
            $0.aps("content-state").map { String(decoding: $0.slice, as: UTF8.self) }
        }
    }

    private func payloads(_ stage: TestStage, _ id: String) async throws -> Int {
        var count = 0
        for key in try await stage.keys("fanfare:*:a:\(id):b:*") {
            count += try await stage.redis(RedisCommand("HEXISTS", key, "payload")).int == 1 ? 1 : 0
        }
        return count
    }

    @Test("A device that syncs after updates gets the newest at once, byte for byte, and only once")
    func late() async throws {
        try await TestStage.run(gateways: 2, clock: TestClock()) { stage in
            let id = try await stage.started(4, options: CatchUpTests.options)
            #expect(try await stage.sync(0, id).status == 200)
            for number in 1...2 {
                #expect(try await stage.call("update", TestStage.body(id, content: content(number))).accepted == 1)
            }
            #expect(try await stage.sync(1, id).status == 200)
            #expect(try await stage.sync(2, id).status == 200)
            try await stage.settled()
            #expect(states(stage, TestStage.updateToken(1)) == [#"{"n": 2.0}"#])
            #expect(states(stage, TestStage.updateToken(2)) == [#"{"n": 2.0}"#])
            // A repeated report changes nothing, from any device.
            for number in 0..<3 { #expect(try await stage.sync(number, id).status == 200) }
            try await stage.settled()
            #expect(stage.pushes(.update).count == 4)
            // A Live Activity that was caught up is a Live Activity like any other.
            #expect(try await stage.call("update", TestStage.body(id, content: content(3))).accepted == 3)
            #expect(states(stage, TestStage.updateToken(1)).last == #"{"n": 3.0}"#)
            // Its timestamp is the update's own, so that nothing newer is overtaken.
            let second = stage.pushes(.update).filter {
                $0.aps("content-state").map { Array($0.slice) } == Array(#"{"n": 2.0}"#.utf8)
            }
            #expect(Set(second.compactMap { $0.aps("timestamp")?.int64 }).count == 1)
        }
    }

    @Test("An update that no device could get is not the content that a late one gets")
    func refused() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(1, options: CatchUpTests.options)
            #expect(try await stage.sync(0, id).status == 200)
            for number in 1...2 {
                #expect(try await stage.call("update", TestStage.body(id, content: content(number))).accepted == 1)
            }
            var refusing = TestStage.phone
            refusing.pushOptIn = false
            let devices = stage.setup.store.devices
            try await devices.putDevice(refusing, TestStage.key(0), tenantID: stage.tenant.tenantID)
            let late = try await stage.call("update", TestStage.body(id, content: content(3)))
            #expect(late.code == "NO_ELIGIBLE_DEVICE", "\(late.text)")
            try await devices.putDevice(TestStage.phone, TestStage.key(0), tenantID: stage.tenant.tenantID)
            let fresh = [UInt8](repeating: 0xEE, count: 40)
            #expect(try await stage.sync(0, id, token: fresh).status == 200)
            try await stage.settled()
            #expect(states(stage, fresh) == [#"{"n": 2.0}"#])
        }
    }

    @Test("A new token of a Live Activity gets the newest state, a repeated one does not")
    func rotation() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(1, options: CatchUpTests.options)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("update", TestStage.body(id, content: content(1))).accepted == 1)
            let fresh = [UInt8](repeating: 0xEE, count: 40)
            #expect(try await stage.sync(0, id, token: fresh).status == 200)
            #expect(try await stage.sync(0, id, token: fresh).status == 200)
            try await stage.settled()
            #expect(states(stage, fresh) == [#"{"n": 1.0}"#])
            #expect(states(stage, TestStage.updateToken(0)).count == 1)
        }
    }

    @Test("The newest update to the whole segment is the only content kept, and none after the end")
    func kept() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(3, options: CatchUpTests.options)
            #expect(try await stage.sync(0, id).status == 200)
            try await stage.settled()
            #expect(try await payloads(stage, id) == 0)
            for number in 1...3 {
                #expect(try await stage.call("update", TestStage.body(id, content: content(number))).accepted == 1)
                try await stage.settled()
                #expect(try await payloads(stage, id) == 1)
            }
            // One to a list is its devices' alone.
            let targets = #""target_devices":[\#(TestStage.targets([0]))]"#
            #expect(
                try await stage.call("update", TestStage.body(id, content: content(4), more: targets)).accepted == 1)
            #expect(try await stage.sync(1, id).status == 200)
            try await stage.settled()
            #expect(states(stage, TestStage.updateToken(1)) == [#"{"n": 3.0}"#])
            #expect(try await payloads(stage, id) == 1)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 2)
            try await stage.settled()
            // The end's, which late Live Activities are sent.
            #expect(try await payloads(stage, id) == 1)
            #expect(try await stage.field("newest_update", of: id) == nil)
            #expect(try await stage.sync(2, id).status == 200)
            try await stage.settled()
            #expect(states(stage, TestStage.updateToken(2)).isEmpty)
            #expect(stage.pushes(.end).contains { $0.token == TestStage.hex(TestStage.updateToken(2)) })
        }
    }

    @Test("Without catch_up no content outlives its broadcast, and a late sync gets nothing")
    func without() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(2)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(1, id).status == 200)
            try await stage.settled()
            #expect(try await payloads(stage, id) == 0)
            #expect(stage.pushes(.update).count == 1)
        }
    }

    @Test("Devices that sync during an update get it once, from the fan-out or by catching up")
    func meanwhile() async throws {
        try await TestStage.run(gateways: 2, clock: TestClock()) { stage in
            let count = 300
            let id = try await stage.started(count, options: CatchUpTests.options)
            try await stage.syncAll(0..<20, id)
            let known = try #require(UniqueID(id))
            async let storm: Void = stage.syncAll(20..<count, id)
            // In the middle of the storm.
            try await stage.eventually("nobody syncs") {
                let record = try #require(try await stage.store.activities.activity(known))
                return try await stage.store.roster.reach(.update, in: record).holders >= 60
            }
            let update = try await stage.call("update", TestStage.body(id, content: content(1)), gateway: 1)
            #expect(update.status == 200, "\(update.text)")
            try await storm
            try await stage.settled()
            let tokens = stage.pushes(.update).map(\.token)
            #expect(tokens.count == count)
            #expect(Set(tokens).count == count)
        }
    }

    @Test("The options of an activity are checked: catch_up and channel")
    func options() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for options in [
                #"{"catch_up":true}"#, #"{"catch_up":false,"channel":"never"}"#,
                #"{"catch_up":null,"channel":null}"#,
            ] {
                #expect(try await stage.answer(toOptions: options).status == 200)
            }
            for (options, field) in [
                (#"{"catch_up":"yes"}"#, "options.catch_up"), (#"{"channel":"always"}"#, "options.channel"),
                (#"{"channel":true}"#, "options.channel"), ("[]", "options"),
                // The app has no broadcast capability.
                (#"{"channel":"auto"}"#, "options.channel"), (#"{"channel":"required"}"#, "options.channel"),
                (#"{"channel":"auto","channel_storage":"always"}"#, "options.channel_storage"),
                (#"{"channel_storage":"newest"}"#, "options.channel_storage"),
            ] {
                let answer = try await stage.answer(toOptions: options)
                #expect(answer.code == "VALIDATION_FAILED" && answer["error"]?.string?.hasPrefix(field) == true)
            }
        }
    }
}
