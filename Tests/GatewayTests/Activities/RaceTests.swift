import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

@Suite("Calls and reports at the same time", .serialized)
struct RaceTests {
    private func users(_ id: String, _ range: Range<Int>) -> String {
        #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_ids":[\#(TestStage.list(range))]}"#
    }

    @Test("Overlapping add-users of the same users put each device into the segment once")
    func overlappingAddUsers() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(300)
            let id = try await stage.register(1)
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<12 {
                    group.addTask { try await stage.call("add-users", self.users(id, 0..<300), gateway: number % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(answers.reduce(0) { $0 + Int($1["registered_devices"]?.int64 ?? 0) } == 299)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 300)
            #expect(stage.pushes(.start).count == 300)
        }
    }

    @Test("Every user confirmed as added is started while add-users, remove-users and start overlap")
    func segmentChangesAgainstStart() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(60)
            for round in 0..<5 {
                let id = try await stage.register(20)
                let before = stage.pushes(.start).count
                async let added = stage.call("add-users", users(id, 20..<60), gateway: 1)
                async let removed = stage.call("remove-users", users(id, 0..<10), gateway: 0)
                async let started = stage.call("start", TestStage.body(id), gateway: round % 2)
                let (add, remove, start) = try await (added, removed, started)
                #expect(start.status == 200, "\(start.text)")
                for answer in [add, remove] {
                    #expect(answer.status == 200 || answer.code == "ALREADY_STARTED", "\(answer.text)")
                }
                let expected = 20 + (add.status == 200 ? 40 : 0) - (remove.status == 200 ? 10 : 0)
                #expect(start.accepted == expected)
                #expect(stage.pushes(.start).count == before + expected)
            }
        }
    }

    @Test("A sync by type finds the activity whose start is still under way")
    func syncDuringStart() async throws {
        try await TestStage.run(configure: { $0.push.pushDeadline = .seconds(3) }) { stage in
            let first = try await stage.started(3)
            try await stage.syncAll(0..<3, first)
            let second = try await stage.register(3)
            var script = MockScript()
            script.rules = [MockRule(.init(tokens: [TestStage.hex(TestStage.startToken(2))]), .silence)]
            stage.mock.setScript(script)
            let answer = try await stage.call("start", TestStage.body(second), headers: ["Prefer": "respond-async"])
            #expect(answer.status == 202)
            #expect(await stage.mock.waitFor(pushes: 6, timeout: .seconds(20)))
            let body = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#, token: [9, 9, 9])
            #expect(try await stage.report("POST", "sync", body)["activity_id"]?.string == second)
        }
    }

    @Test("A device that withdraws its consent before its sync stays withdrawn")
    func withdrawalBeforeSync() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            let device = """
                {\(TestStage.key(0).fields),"platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":false,"environment":"production"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            try await stage.syncAll(0..<2, id)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("gdpr_denied") == 1, "\(update.text)")
        }
    }

    @Test("The record of a broadcast has the same counts as the reply, and no content")
    func record() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(5)
            let id = try await stage.register(5)
            let targets = "[\(TestStage.targets([0, 1])),{\"insider_id\":\"x\",\"udid\":\"y\"}]"
            let start = try await stage.call("start", TestStage.body(id, more: #""target_devices":\#(targets)"#))
            let broadcast = try #require(start["broadcast_id"]?.string)
            let path = "/api/v1/live-activity/broadcasts/\(broadcast)"
            let status = try await stage.send("GET", path, nil, headers: ["X-Api-Key": stage.tenant.apiKey])
            #expect(status["state"]?.string == "done")
            #expect(status["accepted"]?.int64 == 2 && status.skipped("not_in_segment") == 1)
            #expect(status["total"]?.int64 == 3)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            #expect(try await stage.send("GET", path, nil, headers: ["X-Api-Key": other.apiKey]).status == 404)
            let end = MonotonicTime.now() + .seconds(10)
            var kept = try await stage.keys("*:b:\(broadcast)")
            while !kept.isEmpty, MonotonicTime.now() < end { kept = try await stage.keys("*:b:\(broadcast)") }
            #expect(kept.isEmpty)
        }
    }

    @Test("Everything that is kept of an activity expires")
    func expiry() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<2, id)
            _ = try await stage.call("update", TestStage.body(id), headers: ["Idempotency-Key": "one"])
            _ = try await stage.call(
                "end", TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0, 2]))]"#))
            let keys = try await stage.keys("*\(id)*")
            #expect(!keys.isEmpty)
            for key in keys {
                let left = try await stage.redis(RedisCommand("PTTL", key)).int ?? 0
                #expect(left > 0, "\(key)")
            }
            // The ids of all three broadcasts lead to the activity.
            #expect(try await stage.keys("fanfare:{b:*").isEmpty)
        }
    }
}
