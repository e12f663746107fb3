import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing
import TimeCore

@Suite("Updates that wait while newer ones are recorded", .serialized)
struct LateUpdateTests {
    /// Claims the key of an update as a gateway does, which then dies.
    private func claim(_ stage: TestStage, _ body: String, hold: TimeInterval) async throws {
        let name = StoredAnswers.IdempotencyKey(
            tenantID: stage.tenant.tenantID, route: "/update", key: "one", body: Array(body.utf8))
        guard case .claimed = try await stage.store.answers.claim(name, proposing: .random(), hold: hold) else {
            throw CancellationError()
        }
    }

    private static let key = ["Idempotency-Key": "one"]

    @Test("An update whose gateway was killed is superseded by the newer one that was sent before it was repeated")
    func overtaken() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let old = TestStage.body(id, number: 1)
            try await claim(stage, old, hold: .seconds(3))
            async let repeated = stage.call("update", old, headers: Self.key, gateway: 1)
            try await Task.sleep(for: .milliseconds(300))
            let newer = try await stage.call("update", TestStage.body(id, number: 2))
            #expect(newer.status == 200 && newer.accepted == 1, "\(newer.text)")
            let answer = try await repeated
            #expect(answer.status == 200 && answer.accepted == 0, "\(answer.text)")
            #expect(answer.skipped("superseded") == 1, "\(answer.text)")
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [2])
            let broadcast = try #require(answer["broadcast_id"]?.string)
            let record = try await stage.read("/api/v1/live-activity/broadcasts/\(broadcast)")
            #expect(record["state"]?.string == "superseded", "\(record.text)")
            let again = try await stage.call("update", old, headers: Self.key)
            #expect(again.text == answer.text && again.headers["idempotent-replayed"] == "true")
            let next = try await stage.call("update", TestStage.body(id, number: 3))
            #expect(next.accepted == 1)
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [2, 3])
        }
    }

    @Test("An update is superseded by a newer one that was left out because it showed nothing new")
    func unchanged() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            #expect(try await stage.call("update", TestStage.body(id, number: 0)).accepted == 1)
            let old = TestStage.body(id, number: 1)
            try await claim(stage, old, hold: .seconds(2))
            try await Task.sleep(for: .milliseconds(300))
            let same = TestStage.body(
                id, content: #"{"content_state":{"n":0}}"#, more: #""options":{"skip_unchanged":true}"#)
            #expect(try await stage.call("update", same)["unchanged"]?.bool == true)
            let answer = try await stage.call("update", old, headers: Self.key)
            #expect(answer.status == 200 && answer.skipped("superseded") == 1, "\(answer.text)")
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [0])
        }
    }

    @Test("A late update spares a device that was started again meanwhile, and is sent to the others")
    func restarted() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            let old = TestStage.body(id, number: 1)
            try await claim(stage, old, hold: .seconds(3))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200)
            let content = #"{"title":"t","message":"m","content_state":{"n":2},"attributes":{}}"#
            let again = TestStage.body(
                id, content: content, more: #""target_devices":[\#(TestStage.targets([0]))]"#)
            let restart = try await stage.call("restart", again)
            #expect(restart.accepted == 1, "\(restart.text)")
            #expect(try await stage.sync(0, id, token: TestStage.updateToken(7)).status == 200)
            let answer = try await stage.call("update", old, headers: Self.key)
            #expect(answer.accepted == 1 && answer.skipped("superseded") == 1, "\(answer.text)")
            #expect(stage.pushes(.update).map(\.token) == [TestStage.hex(TestStage.updateToken(1))])
        }
    }

    @Test("A repetition takes over the claim of a killed gateway within its lease")
    func takenOver() async throws {
        #expect(StoredHeldJobs.holdLength <= .seconds(6))
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let body = TestStage.body(id, number: 1)
            try await claim(stage, body, hold: StoredHeldJobs.holdLength)
            let begin = MonotonicTime.now()
            let answer = try await stage.call("update", body, headers: Self.key)
            #expect(answer.status == 200 && answer.accepted == 1, "\(answer.text)")
            #expect(MonotonicTime.now() - begin < .seconds(15))
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [1])
        }
    }

    @Test("A gateway's claim of a key lasts six seconds at most, unless the gateway renews it")
    func length() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            stage.mock.setScript(.slow(.seconds(2)))
            async let update = stage.call("update", TestStage.body(id, number: 1), headers: Self.key)
            var keys: [String] = []
            try await stage.eventually("no claim") {
                keys = try await stage.keys("fanfare:{i:*")
                return !keys.isEmpty
            }
            let key = try #require(keys.first)
            let until = try #require(try await stage.redis(RedisCommand("HGET", key, "until")).int)
            // Gateways go by Redis's clock, which is this machine's.
            #expect(until <= WallTime.now().milliseconds + 6_100)
            #expect(try await update.accepted == 1)
        }
    }

    @Test("An update whose caller has left before it was recorded is dropped")
    func dropped() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let body = TestStage.body(id, number: 1)
            try await claim(stage, body, hold: .seconds(2))
            let request = """
                POST /api/v1/live-activity/update HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(stage.tenant.apiKey)\r\n\
                Content-Type: application/json\r\nIdempotency-Key: one\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
                """
            let port = stage.gateways[0].port
            _ = try await DispatchThread.value { try RawClient(port: port).send(request) }
            try await Task.sleep(for: .seconds(4))
            #expect(stage.pushes(.update).compactMap(\.contentNumber).isEmpty)
            // The key was not used up.
            let answer = try await stage.call("update", body, headers: Self.key)
            #expect(answer.status == 200 && answer.accepted == 1, "\(answer.text)")
        }
    }
}
