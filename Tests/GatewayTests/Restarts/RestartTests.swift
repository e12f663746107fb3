import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

@Suite("Restarts", .serialized)
struct RestartTests {
    private static let content =
        #"{"title":"Again","message":"It goes on","content_state":{"home": 1.0,"away":0},"attributes":{"m":2}}"#

    private func restart(
        _ stage: TestStage, _ id: String, _ who: String, headers: [String: String] = [:], gateway: Int = 0
    ) async throws -> TestStage.Answer {
        try await stage.call(
            "restart", TestStage.body(id, content: Self.content, more: who), headers: headers, gateway: gateway)
    }

    private static let unsent = #""devices":"unsent""#

    private func targets(_ numbers: [Int]) -> String { #""target_devices":[\#(TestStage.targets(numbers))]"# }

    @Test("A restart of unsent devices starts only those, with its own content")
    func unsent() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let count = 2000
            let id = try await stage.started(count)
            let startedAt = try await stage.field("started_at", of: id)
            // Over three pages, among devices that have their Live Activity.
            let left = (0..<count).filter { $0 % 7 == 0 }
            for number in left {
                try await stage.setStatuses([number % 14 == 0 ? 6 : 1], from: number % 868, of: id, number / 868)
            }
            let answer = try await restart(stage, id, Self.unsent, gateway: 1)
            #expect(answer.status == 200 && answer.accepted == left.count, "\(answer.text)")
            #expect(answer.text.contains(#""skipped":{}"#), "\(answer.text)")
            #expect(stage.starts(0..<count) == (0..<count).map { $0 % 7 == 0 ? 2 : 1 })
            let push = try #require(stage.pushes(.start).last)
            #expect(push.aps("content-state").map { Array($0.slice) } == Array(#"{"home": 1.0,"away":0}"#.utf8))
            let phones = stage.phones()
            #expect(phones.differences(left, #"{"home": 1.0,"away":0}"#, attributes: #"{"m":2}"#) == [])
            #expect(phones.differences(0..<count, #"{"home":0,"away":0}"#) == [])
            #expect(push.aps("attributes").map { Array($0.slice) } == Array(#"{"m":2}"#.utf8))
            let broadcast = try await stage.ended(try #require(answer.broadcastID))
            #expect(broadcast["kind"]?.string == "start" && broadcast["total"]?.int64 == Int64(left.count))
            let status = try await stage.status(id)
            #expect(status["counts", "pending"]?.int64 == Int64(count) && status["counts", "unsent"]?.int64 == 0)
            // The activity is as old as its start, nothing is left of the preparation, and no device is left out.
            #expect(try await stage.field("started_at", of: id) == startedAt)
            try await stage.settled()
            #expect(try await stage.startPages(id).isEmpty)
            #expect(try await stage.keys("fanfare:{*}:a:\(id):restart").isEmpty)
            let again = try await restart(stage, id, Self.unsent)
            #expect(again.status == 422 && again.code == "NO_ELIGIBLE_DEVICE", "\(again.text)")
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
            // They sync and are updated as all others.
            try await stage.syncAll(0..<8, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 8)
        }
    }

    @Test("One of many concurrent restarts on two gateways gets the devices, each for one push")
    func atOnce() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(40)
            for number in 0..<40 { try await stage.setStatus(6, of: number, in: id) }
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<12 {
                    group.addTask { try await restart(stage, id, Self.unsent, gateway: number % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 && $0.accepted == 40 } == 1, "\(answers.map(\.text))")
            // The others find no device, or time out after ten seconds.
            #expect(answers.allSatisfy { [200, 422, 503].contains($0.status) }, "\(answers.map(\.text))")
            #expect(stage.starts(0..<40) == [Int](repeating: 2, count: 40))
        }
    }

    @Test("A device whose start was refused is started again, by another token")
    func failed() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(4)
            let id = try await stage.register(4)
            var script = MockScript()
            let bad = Set((0..<2).map { TestStage.hex(TestStage.startToken($0)) })
            script.rules = [MockRule(.init(tokens: bad), .answer(status: 400, reason: "BadDeviceToken"))]
            stage.mock.setScript(script)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            // A refusal that says nothing of the token.
            try await stage.setStatus(4, of: 2, in: id)
            clock.advance(seconds: 5)
            let token = #"{\#(TestStage.key(1).fields),"token":"abcdef"}"#
            #expect(try await stage.report("PUT", "push-to-start-token", token).status == 200)
            let answer = try await restart(stage, id, #""devices":"failed""#)
            #expect(answer.accepted == 2 && answer.skipped("no_push_to_start_token") == 1, "\(answer.text)")
            // The refusals came over two connections.
            #expect(stage.starts(0..<4) == [2, 2, 2, 1])
            #expect(stage.pushes(.start).contains { $0.token == "abcdef" })
            #expect(try await stage.status(id)["counts", "failed"]?.int64 == 1)
            let refusal = try await restart(stage, id, #""devices":"failed""#)
            #expect(refusal.status == 422 && refusal.skipped("no_push_to_start_token") == 1, "\(refusal.text)")
        }
    }

    @Test("A device with an unknown start is started again unless it has reported")
    func unknown() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            for number in 0..<2 { try await stage.setStatus(5, of: number, in: id) }
            #expect(try await stage.sync(1, id).status == 200)
            try await stage.setStatus(5, of: 1, in: id)
            let answer = try await restart(stage, id, #""devices":"unknown""#)
            #expect(answer.accepted == 1 && answer.skipped("active") == 1, "\(answer.text)")
            #expect(stage.starts(0..<3) == [2, 1, 1])
        }
    }

    @Test("A device that does not sync is started again after a while, up to its limit")
    func notSynced() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(4)
            #expect(try await stage.sync(0, id).status == 200)
            let usual = #""devices":"not_synced""#
            clock.advance(seconds: 298)
            #expect(try await restart(stage, id, usual).code == "NO_ELIGIBLE_DEVICE")
            // A Live Activity whose end is on its way is not brought back.
            let end = TestStage.body(id, content: nil, more: "\(targets([0, 3]))")
            #expect(try await stage.call("end", end).accepted == 1)
            clock.advance(seconds: 3)
            let answer = try await restart(stage, id, usual)
            #expect(answer.accepted == 2 && answer.skipped("ended") == 1, "\(answer.text)")
            #expect(stage.starts(0..<4) == [1, 2, 2, 1])
            let at = #""devices":"not_synced","older_than":0"#
            let limit = try await restart(stage, id, at)
            #expect(limit.status == 422 && limit.skipped("start_limit") == 2, "\(limit.text)")
            let more = try await restart(stage, id, at + #","options":{"max_starts":3}"#)
            #expect(more.accepted == 2, "\(more.text)")
            #expect(stage.starts(0..<4) == [1, 3, 3, 1])
            let last = try await restart(stage, id, at + #","options":{"max_starts":3}"#)
            #expect(last.status == 422 && last.skipped("start_limit") == 2, "\(last.text)")
        }
    }

    @Test("Named devices whose start was just accepted are skipped, because their apps need time to report")
    func justStarted() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            let id = try await stage.started(2)
            for _ in 0..<2 {
                let early = try await restart(stage, id, targets([0, 1]))
                #expect(early.status == 422 && early.skipped("active") == 2, "\(early.text)")
                clock.advance(seconds: 4)
            }
            #expect(try await stage.sync(0, id).status == 200)
            clock.advance(seconds: 4)
            let answer = try await restart(stage, id, targets([0, 1]))
            #expect(answer.accepted == 1 && answer.skipped("active") == 1, "\(answer.text)")
            #expect(try await restart(stage, id, targets([1])).skipped("active") == 1)
            #expect(stage.starts(0..<2) == [1, 2])
        }
    }

    @Test("Named devices are started again after their end, and skipped while they are active")
    func named() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(4)
            try await stage.syncAll(0..<3, id)
            #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200)
            // The third Live Activity is ended before it is known.
            let end = TestStage.body(id, content: nil, more: targets([1, 3]))
            #expect(try await stage.call("end", end).accepted == 1)
            let ghost = #",{"insider_id":"ghost","udid":"x"}]"#
            let who = targets([0, 1, 2, 3]).dropLast() + ghost
            let answer = try await restart(stage, id, String(who))
            #expect(answer.accepted == 3 && answer.skipped("active") == 1, "\(answer.text)")
            #expect(answer.skipped("not_in_segment") == 1)
            #expect(stage.starts(0..<4) == [2, 2, 1, 2])
            let counts = try await stage.status(id)
            #expect(counts["counts", "pending"]?.int64 == 3 && counts["counts", "ended"]?.int64 == 0)
            // They are Live Activities like all others: no end follows them.
            for number in [0, 1, 3] {
                #expect(try await stage.sync(number, id, token: [9, UInt8(number)]).status == 200)
            }
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 4)
            try await stage.settled()
            #expect(stage.pushes(.end).count == 1)
            let refusal = try await restart(stage, id, targets([0]))
            #expect(refusal.status == 422 && refusal.skipped("active") == 1, "\(refusal.text)")
        }
    }

    @Test("A restart waits for the ends of its devices, including late ends to new tokens", arguments: [false, true])
    func behindEnd(isRotated: Bool) async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            stage.mock.setScript(.slow(.milliseconds(500)))
            let end = TestStage.body(id, content: nil, more: targets([0, 1]))
            #expect(try await stage.call("end", end, headers: ["Prefer": "respond-async"]).status == 202)
            try await stage.eventually("the end has not left") { stage.pushes(.end).count == 2 }
            if isRotated { #expect(try await stage.sync(0, id, token: [7]).status == 200) }
            let answer = try await restart(stage, id, targets([0, 1]))
            #expect(answer.accepted == 2, "\(answer.text)")
            #expect(stage.starts(0..<2) == [2, 2])
            #expect(stage.pushes(.end).count == (isRotated ? 3 : 2))
        }
    }

    @Test("A named device whose update token is dead is started again, and waits for its sync")
    func deadToken() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            stage.mock.setScript(.unregistered(TestStage.hex(TestStage.updateToken(0))))
            #expect(try await stage.call("update", TestStage.body(id)).failed("Unregistered") == 1)
            stage.mock.setScript(MockScript())
            #expect(try await stage.status(id)["counts", "ended"]?.int64 == 1)
            let answer = try await restart(stage, id, targets([0, 1]))
            #expect(answer.accepted == 1 && answer.skipped("active") == 1, "\(answer.text)")
            let status = try await stage.status(id)
            #expect(status["counts", "pending"]?.int64 == 1 && status["counts", "ended"]?.int64 == 0)
            #expect(try await stage.sync(0, id, token: [1, 2]).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
        }
    }

    @Test("A restart honours newer tokens, withdrawn consent and deleted devices")
    func changed() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(4)
            for number in 0..<4 { try await stage.setStatus(6, of: number, in: id) }
            let keys = (0..<4).map { TestStage.key($0).fields }
            let token = #"{\#(keys[0]),"token":"abcdef"}"#
            #expect(try await stage.report("PUT", "push-to-start-token", token).status == 200)
            let optedOut = #"""
                {\#(keys[1]),"platform":"ios","os_version":"18.1","push_opt_in":false,"gdpr_consent":true,
                 "environment":"production"}
                """#
            #expect(try await stage.report("PUT", "device", optedOut).status == 200)
            let user = "fanfare:{u:\(stage.tenant.tenantID):\(TestStage.key(2).insiderID)}"
            _ = try await stage.redis(RedisCommand("DEL", user))
            let answer = try await restart(stage, id, Self.unsent)
            #expect(answer.accepted == 2, "\(answer.text)")
            #expect(answer.skipped("push_opt_out") == 1 && answer.skipped("unknown_user") == 1, "\(answer.text)")
            #expect(stage.starts(0..<4) == [1, 1, 1, 2])
            #expect(stage.pushes(.start).contains { $0.token == "abcdef" })
        }
    }

    @Test("A restart repeated after its gateway was killed while preparing starts the same devices")
    func repeatedAfterKill() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 3)
            #expect(try await stage.sync(2, id).status == 200)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let wish = RestartWish(.notSynced(olderThan: .zero), maximumStarts: 2)
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: activity, for: .random()))
            #expect(try await stage.store.restarts.prepareRestart(wish, of: record, lock)?.slots == [0, 1])
            await stage.store.restarts.unlock(lock)
            let answer = try await restart(stage, id, #""devices":"not_synced","older_than":0"#)
            #expect(answer.accepted == 2, "\(answer.text)")
            #expect(stage.starts(0..<3) == [2, 2, 1])
        }
    }

    @Test("A repeated restart does not count refused starts")
    func repeatedAfterKillOfRefused() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            var script = MockScript()
            let bad: Set = [TestStage.hex(TestStage.startToken(0))]
            script.rules = [MockRule(.init(tokens: bad), .answer(status: 400, reason: "BadDeviceToken"))]
            stage.mock.setScript(script)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            clock.advance(seconds: 5)
            let token = #"{\#(TestStage.key(0).fields),"token":"abcdef"}"#
            #expect(try await stage.report("PUT", "push-to-start-token", token).status == 200)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let wish = RestartWish(.failed, maximumStarts: 2)
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: activity, for: .random()))
            #expect(try await stage.store.restarts.prepareRestart(wish, of: record, lock)?.slots == [0])
            await stage.store.restarts.unlock(lock)
            let answer = try await restart(stage, id, #""devices":"failed""#)
            #expect(answer.accepted == 1, "\(answer.text)")
            #expect(stage.pushes(.start).filter { $0.token == "abcdef" }.count == 1)
        }
    }

    @Test("Devices of a gateway killed before it recorded the restart can be started again")
    func killedInBetween() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3)
            // Devices outside a start's list do not count as left out.
            #expect(try await stage.call("start", TestStage.body(id, more: targets([0, 1]))).accepted == 2)
            try await stage.setStatus(4, of: 0, in: id)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: activity, for: .random()))
            #expect(try await stage.store.restarts.lockRestarts(of: activity, for: .random()) == nil)
            let wish = RestartWish(.failed, maximumStarts: 2)
            #expect(try await stage.store.restarts.prepareRestart(wish, of: record, lock)?.slots == [0])
            await stage.store.restarts.unlock(lock)
            // Without the lock nothing is prepared, and nothing recorded.
            #expect(try await stage.store.restarts.prepareRestart(wish, of: record, lock) == nil)
            let answer = try await restart(stage, id, Self.unsent)
            #expect(answer.accepted == 1, "\(answer.text)")
            #expect(stage.starts(0..<3) == [2, 1, 0])
            try await stage.settled()
            #expect(try await stage.startPages(id).isEmpty)
        }
    }

    @Test("A gateway that stops during a restart hands it over, and each device gets one start")
    func handOver() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.push.maximumConnections = 1 }) { stage in
            let count = 3000
            let id = try await stage.started(count)
            for page in 0..<4 {
                let statuses = [UInt8](repeating: 6, count: min(868, count - page * 868))
                try await stage.setStatuses(statuses, from: 0, of: id, page)
            }
            stage.mock.setScript(.slow(.milliseconds(100), streams: 100))
            let answer = try await restart(stage, id, Self.unsent, headers: ["Prefer": "respond-async"])
            #expect(answer.status == 202, "\(answer.text)")
            #expect(await stage.mock.waitFor(pushes: count + 500, timeout: .seconds(60)))
            await stage.gateways[0].stop()
            stage.mock.setScript(MockScript())
            let broadcast = try #require(answer.broadcastID)
            let ended = try await stage.ended(broadcast, gateway: 1)
            #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == Int64(count), "\(ended.text)")
            #expect(stage.starts(0..<count) == [Int](repeating: 2, count: count))
        }
    }

    @Test("A reused Idempotency-Key returns the first answer; respond-async answers before the pushes")
    func repeated() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(3)
            for number in 0..<3 { try await stage.setStatus(6, of: number, in: id) }
            let headers = ["Idempotency-Key": "again-1"]
            let first = try await restart(stage, id, Self.unsent, headers: headers)
            let second = try await restart(stage, id, Self.unsent, headers: headers, gateway: 1)
            #expect(first.accepted == 3 && second.bytes == first.bytes, "\(first.text) \(second.text)")
            #expect(stage.starts(0..<3) == [2, 2, 2])
            try await stage.setStatus(6, of: 0, in: id)
            let answer = try await restart(
                stage, id, Self.unsent + #","options":{"max_starts":3}"#, headers: ["Prefer": "respond-async"])
            #expect(answer.status == 202 && answer.headers["location"] != nil, "\(answer.text)")
            let broadcast = try #require(answer.broadcastID)
            #expect(try await stage.ended(broadcast)["accepted"]?.int64 == 1)
        }
    }

    @Test("Fields, activity and state are checked before anything is changed")
    func refusals() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            let early = try await restart(stage, id, Self.unsent)
            #expect(early.status == 409 && early.code == "NOT_STARTED", "\(early.text)")
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            let wrong = [
                ("", "devices"), (#""devices":"all""#, "devices"), (#""devices":7"#, "devices"),
                (#""devices":"unsent","target_devices":[\#(TestStage.targets([0]))]"#, "devices"),
                (#""target_devices":[]"#, "devices"), (#""devices":"failed","older_than":5"#, "older_than"),
                (#""devices":"not_synced","older_than":-1"#, "older_than"),
                (#""devices":"unsent","options":{"max_starts":0}"#, "options.max_starts"),
                (#""devices":"unsent","options":{"priority":7}"#, "options.priority"),
            ]
            for (who, field) in wrong {
                let answer = try await restart(stage, id, who)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(who): \(answer.text)")
                #expect(answer["error"]?.string?.contains(field) == true, "\(who): \(answer.text)")
            }
            for content in [nil, "{}", #"{"content_state":{}}"#] {
                let body = TestStage.body(id, content: content, more: Self.unsent)
                #expect(try await stage.call("restart", body).code == "CONTENT_REQUIRED")
            }
            let long = #"{"title":"a","message":"b","content_state":{"x":"\#(String(repeating: "y", count: 4096))"}}"#
            let tooLong = try await stage.call("restart", TestStage.body(id, content: long, more: Self.unsent))
            #expect(tooLong.status == 413 && tooLong.code == "PAYLOAD_TOO_LARGE")
            let own = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)","external_id":"order-1""#)
            let opened = try #require(try await stage.report("POST", "sync", own)["activity_id"]?.string)
            #expect(try await restart(stage, opened, Self.unsent).code == "NOT_STARTED")
            let forced = #""options":{"force":true}"#
            #expect(try await stage.call("end", TestStage.body(id, content: nil, more: forced)).status == 200)
            let dead = try await restart(stage, id, Self.unsent)
            #expect(dead.status == 404 && dead.code == "NOT_FOUND", "\(dead.text)")
        }
    }
}
