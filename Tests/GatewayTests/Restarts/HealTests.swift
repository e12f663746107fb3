import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import PhoneModel
import RedisClient
import Testing
import TimeCore

@Suite("Healing", .serialized)
struct HealTests {
    private static let deadToken = #"{"heal":"dead_token"}"#

    private func content(_ number: Int) -> String { #"{"content_state":{"home": \#(number).0,"away":0}}"# }

    /// Runs `body` with a started activity of `count` devices, after its first search for lost Live Activities.
    private func healing(
        _ count: Int, _ options: String, gateways: Int = 1,
        _ body: (_ stage: TestStage, _ clock: TestClock, _ id: String) async throws -> Void
    ) async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: gateways, clock: clock) { stage in
            let id = try await stage.started(count, options: options)
            try await stage.looked(at: id)
            try await body(stage, clock, id)
        }
    }

    /// Sends an update of the whole segment in which the provider rejects a device's update token as dead.
    private func kill(_ token: [UInt8], _ id: String, _ stage: TestStage, content: String? = nil) async throws {
        stage.refuse(token)
        let answer = try await stage.call("update", TestStage.body(id, content: content ?? TestStage.content))
        #expect(answer.failed("Unregistered") == 1, "\(answer.text)")
        stage.mock.setScript(MockScript())
    }

    @Test("A device with a dead token is started again once, with the newest content")
    func deadToken() async throws {
        try await healing(4, Self.deadToken, gateways: 2) { stage, clock, id in
            try await stage.syncAll(0..<3, id)
            try await kill(TestStage.updateToken(0), id, stage, content: content(1))
            #expect(try await stage.call("update", TestStage.body(id, content: content(2))).accepted == 2)
            // An update of target devices changes only these devices.
            let list = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("update", TestStage.body(id, content: content(3), more: list)).accepted == 1)
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            try await stage.settled()
            #expect(stage.starts(0..<4) == [2, 1, 1, 1])
            let push = try #require(stage.pushes(.start).last)
            #expect(push.aps("content-state").map { Array($0.slice) } == Array(#"{"home": 2.0,"away":0}"#.utf8))
            #expect(stage.phones().differences([0, 2], #"{"home": 2.0,"away":0}"#) == [])
            #expect(stage.phones().differences([1], #"{"home": 3.0,"away":0}"#) == [])
            #expect(push.aps("attributes").map { Array($0.slice) } == Array(#"{"m":1}"#.utf8))
            #expect(
                push.aps("alert").map { Array($0.slice) } == Array(#"{"title":"Kick-off","body":"It begins"}"#.utf8))
            let status = try await stage.status(id)
            #expect(status["counts", "pending"]?.int64 == 2 && status["counts", "ended"]?.int64 == 0, "\(status.text)")
            // The activity lists the start among its broadcasts.
            let newest = try #require(status.text.split(separator: #""broadcasts":["#).last)
            #expect(newest.contains(#""kind":"start","state":"done","total":1,"accepted":1"#), "\(newest)")
            // No device is left to heal, and the new Live Activity gets updates.
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            #expect(try await stage.sync(0, id, token: [7, 8]).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 3)
            #expect(stage.starts(0..<4) == [2, 1, 1, 1])
            let phones = stage.phones(tokens: [ReportedToken(own: [7, 8], start: TestStage.startToken(0))])
            #expect(phones.differences(0..<4, #"{"home":0,"away":0}"#) == [])
            #expect(phones[0].liveActivities.count == 2)
        }
    }

    @Test(
        "A device whose token was dead or refused at its end is not started again; its next token gets the end",
        arguments: [410, 400])
    func endedWithDeadToken(status: Int) async throws {
        try await healing(3, Self.deadToken, gateways: 2) { stage, clock, id in
            try await stage.syncAll(0..<3, id)
            stage.refuse(TestStage.updateToken(0), status: status)
            let list = #""target_devices":[\#(TestStage.targets([0]))]"#
            let end = try await stage.call("end", TestStage.body(id, content: content(1), more: list))
            #expect(end.failed(status == 410 ? "Unregistered" : "BadDeviceToken") == 1, "\(end.text)")
            stage.mock.setScript(MockScript())
            for _ in 0..<2 {
                clock.advance(seconds: 30)
                try await stage.looked(at: id)
                try await stage.settled()
            }
            #expect(stage.starts(0..<3) == [1, 1, 1])
            #expect(try await stage.sync(0, id, token: [7, 8]).status == 200)
            try await stage.settled()
            #expect(try await stage.call("update", TestStage.body(id, content: content(2))).accepted == 2)
            let phones = stage.phones(tokens: [ReportedToken(own: [7, 8], start: TestStage.startToken(0))])
            #expect(phones.differences([0], #"{"home": 1.0,"away":0}"#, isOver: true) == [])
            #expect(phones.differences([1, 2], #"{"home": 2.0,"away":0}"#) == [])
            #expect(phones[0].liveActivities.count == 1)
        }
    }

    @Test("A lost Live Activity is healed once, under the phone's current login")
    func newLogin() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            try await stage.addDevices(3)
            for login in [1, 0] { try await stage.logIn(login) }
            let id = try await stage.register(3, options: Self.deadToken)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            try await stage.looked(at: id)
            try await stage.syncAll(0..<1, id)
            try await kill(TestStage.updateToken(0), id, stage)
            try await stage.logIn(1)
            for _ in 0..<2 {
                clock.advance(seconds: 30)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.sharedStarts == 2)
            }
            // The limit counts the start of the former login.
            #expect(try await stage.sync(1, id).status == 200)
            try await kill(TestStage.updateToken(1), id, stage)
            for _ in 0..<2 {
                clock.advance(seconds: 30)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.sharedStarts == 2)
            }
        }
    }

    @Test("Silence is no reason to start a device again")
    func silent() async throws {
        try await healing(5, Self.deadToken, gateways: 2) { stage, clock, id in
            // 0: shown. 1: its end waits. 2: unknown. 3: refused. 4: accepted.
            #expect(try await stage.shown(0, id).status == 200)
            let list = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("end", TestStage.body(id, content: nil, more: list)).code != nil)
            try await stage.setStatus(5, of: 2, in: id)
            try await stage.setStatus(4, of: 3, in: id)
            for seconds in [60, 3600] {
                clock.advance(seconds: seconds)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.starts(0..<5) == [1, 1, 1, 1, 1])
            }
        }
    }

    @Test("No device gets more starts than heal_limit allows, however often its Live Activity is lost")
    func limit() async throws {
        try await healing(2, #"{"heal":"dead_token","heal_limit":2}"#) { stage, clock, id in
            for (token, expected): ([UInt8], Int) in [(TestStage.updateToken(1), 2), ([8], 3), ([9], 3)] {
                #expect(try await stage.sync(1, id, token: token).status == 200)
                try await kill(token, id, stage)
                clock.advance(seconds: 30)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.starts(0..<2) == [1, expected])
            }
        }
    }

    @Test("A device in doubt after healing is started once more if it stays silent")
    func inDoubt() async throws {
        try await healing(3, Self.deadToken) { stage, clock, id in
            try await stage.syncAll(0..<3, id)
            for number in 0..<2 { try await kill(TestStage.updateToken(number), id, stage) }
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            try await stage.settled()
            #expect(stage.starts(0..<3) == [2, 2, 1])
            // A killed gateway leaves their outcome unknown. Device 1 got the start and reports.
            for number in 0..<2 { try await stage.setStatus(5, of: number, in: id) }
            #expect(try await stage.sync(1, id, token: [7, 8]).status == 200)
            clock.advance(seconds: 90)
            try await stage.looked(at: id)
            try await stage.settled()
            #expect(stage.starts(0..<3) == [2, 2, 1])
            for _ in 0..<2 {
                clock.advance(seconds: 60)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.starts(0..<3) == [3, 2, 1])
                // The next start is in doubt too.
                try await stage.setStatus(5, of: 0, in: id)
                clock.advance(seconds: 300)
                try await stage.looked(at: id)
                try await stage.settled()
                #expect(stage.starts(0..<3) == [3, 2, 1])
            }
        }
    }

    @Test("Without heal no content is kept; with heal it is sealed and deleted with the activity")
    func kept() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let plain = try await stage.started(1)
            #expect(try await stage.keys("fanfare:*:a:\(plain):heal").isEmpty)
            #expect(try await stage.due().contains("h:\(plain)") == false)
            let id = try await stage.register(1, options: Self.deadToken)
            #expect(try await stage.due().contains("h:\(id)") == false)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("update", TestStage.body(id, content: content(1))).accepted == 1)
            let key = try #require(try await stage.keys("fanfare:*:a:\(id):heal").first)
            for field in ["start", "update"] {
                let bytes = try #require(try await stage.redis(RedisCommand("HGET", key, field)).bytes)
                #expect(bytes.count > 40 && String(decoding: bytes, as: UTF8.self).contains("content-state") == false)
            }
            #expect(try #require(try await stage.redis(RedisCommand("PTTL", key)).int) > 0)
            try await stage.looked(at: id)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            #expect(try await stage.keys("fanfare:*:a:\(id):heal").isEmpty)
            #expect(try await stage.due().contains("h:\(id)") == false)
        }
    }

    @Test("After a kill between preparing and recording, another gateway heals the device")
    func killedInBetween() async throws {
        try await healing(3, Self.deadToken) { stage, clock, id in
            try await stage.syncAll(0..<2, id)
            try await kill(TestStage.updateToken(0), id, stage)
            clock.advance(seconds: 30)
            let known = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(known))
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: .random()))
            let wish = try #require(record.healing).wish
            #expect(try await stage.store.restarts.prepareRestart(wish, of: record, lock)?.slots == [0])
            // While a gateway holds the lock, no other gateway starts a device.
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            #expect(stage.starts(0..<3) == [1, 1, 1])
            await stage.store.restarts.unlock(lock)
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            try await stage.settled()
            #expect(stage.starts(0..<3) == [2, 1, 1])
        }
    }

    @Test("A healing start that is too long is logged and waits for shorter content")
    func tooLong() async throws {
        let clock = TestClock()
        let log = CapturedLog()
        try await TestStage.run(clock: clock, logger: log.logger(.warning)) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2, options: Self.deadToken)
            func filler(_ count: Int) -> String { String(repeating: "x", count: count) }
            let content = #"{"title":"\#(filler(2500))","message":"m","content_state":{}}"#
            #expect(try await stage.call("start", TestStage.body(id, content: content)).accepted == 2)
            try await stage.looked(at: id)
            try await stage.syncAll(0..<2, id)
            try await kill(
                TestStage.updateToken(0), id, stage, content: #"{"content_state":{"x":"\#(filler(2500))"}}"#)
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            #expect(stage.starts(0..<2) == [1, 1])
            #expect(log.lines.contains { $0.contains("healing failed") && $0.contains(id) })
            #expect(try await stage.call("update", TestStage.body(id, content: self.content(1))).accepted == 1)
            clock.advance(seconds: 30)
            try await stage.looked(at: id)
            try await stage.settled()
            #expect(stage.starts(0..<2) == [2, 1])
        }
    }

    @Test("The options of healing are validated and returned")
    func options() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for (options, told) in [
                (#"{"heal":"never"}"#, #"{"catch_up":false}"#), (#"{"heal":null}"#, #"{"catch_up":false}"#),
                (#"{"heal":"dead_token"}"#, #"{"catch_up":false,"heal":"dead_token","heal_limit":1}"#),
                (#"{"heal":"dead_token","heal_limit":10}"#, #"{"catch_up":false,"heal":"dead_token","heal_limit":10}"#),
            ] {
                let answer = try await stage.answer(toOptions: options)
                let id = try #require(answer["activity_id"]?.string, "\(options): \(answer.text)")
                #expect(try await stage.status(id).text.contains(#""options":\#(told)"#), "\(options)")
            }
            for (options, field) in [
                (#"{"heal":"always"}"#, "options.heal"), (#"{"heal":1}"#, "options.heal"),
                (#"{"heal":"silent"}"#, "options.heal"),
                (#"{"heal":"dead_token","heal_limit":0}"#, "options.heal_limit"),
                (#"{"heal":"dead_token","heal_limit":11}"#, "options.heal_limit"),
                (#"{"heal":"dead_token","heal_after":60}"#, "options.heal_after"),
                (#"{"heal_limit":1}"#, "options.heal_limit"),
                (#"{"heal":"never","heal_limit":1}"#, "options.heal_limit"),
            ] {
                let answer = try await stage.answer(toOptions: options)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(options): \(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix(field) == true, "\(options): \(answer.text)")
            }
        }
    }
}

extension TestStage {
    /// Waits until a gateway has searched an activity for lost Live Activities at the current time.
    fileprivate func looked(at id: String) async throws {
        let now = try #require(clock).now
        let queue = "fanfare:{\(try #require(UniqueID(id)).low % 64)}:due"
        try await eventually("no gateway searches the activity") {
            let score = try await self.redis(RedisCommand("ZSCORE", queue, "h:\(id)")).string.flatMap { Double($0) }
            return score == Double(now.milliseconds + 30_000)
        }
    }
}
