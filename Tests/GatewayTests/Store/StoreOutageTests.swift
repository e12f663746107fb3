import BroadcastCore
import Broadcasts
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import RedisServerProcess
import ScrapedMetrics
import TestStore
import Testing
import TimeCore

@Suite("Redis goes and comes back", .serialized)
struct StoreOutageTests {
    @Test("Calls get 503 STORE_UNAVAILABLE quickly without Redis, and are served again without a restart")
    func killedAndRestarted() async throws {
        try await TestStage.run { stage in
            #expect(try await stage.call("start", "{").code == "BAD_REQUEST")
            stage.redis.kill()
            let start = MonotonicTime.now()
            for _ in 0..<20 {
                let answer = try await stage.call("start", "{")
                #expect(answer.status == 503 && answer.code == "STORE_UNAVAILABLE", "\(answer.text)")
                #expect(answer.headers["retry-after"] != nil)
            }
            let sdk = try await stage.report("POST", "sync", "{")
            #expect(sdk.status == 503 && sdk.code == "STORE_UNAVAILABLE")
            #expect(try await stage.ready().status == 503)
            #expect(try await stage.send("GET", "/health/live", nil, headers: [:]).status == 200)
            #expect((MonotonicTime.now() - start) < .seconds(30))
            try await stage.redis.restart()
            // The store is a new one, so the key is unknown: that answer comes from Redis.
            try await stage.eventually { try await stage.call("start", "{").status == 401 }
        }
    }

    @Test("Calls get 503 within the command's deadline while Redis hangs, and are served when it resumes")
    func paused() async throws {
        try await TestStage.run(
            configure: {
                $0.redisTimeout = .milliseconds(300)
                // Looking for jobs has a deadline of its own, and ends a connection that does not answer.
                $0.jobs.period = .seconds(3_600)
            }
        ) { stage in
            stage.redis.pause()
            let start = MonotonicTime.now()
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for _ in 0..<50 { group.addTask { try await stage.call("start", "{") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.code == "STORE_UNAVAILABLE" })
            #expect(MonotonicTime.now() - start < RedisClientOptions().commandDeadline, "not by this client's deadline")
            stage.redis.resume()
            try await stage.eventually { try await stage.call("start", "{").code == "BAD_REQUEST" }
        }
    }

    @Test("The outcome of a late end is recorded once Redis is back, and the end is not sent twice")
    func lateEnd() async throws {
        var redis = RedisServerOptions()
        redis.persistence = .appendOnly
        try await TestStage.run(redis: redis, configure: { $0.redisTimeout = .milliseconds(300) }) {
            stage in
            let id = try await stage.started(2)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).accepted == 1)
            stage.mock.setScript(.slow(.seconds(1)))
            #expect(try await stage.sync(1, id).status == 200)
            #expect(await stage.mock.waitFor(pushes: 4, timeout: .seconds(60)))
            stage.redis.kill()
            #expect(try await stage.metrics().value("fanfare_pushes_in_flight") == 1)
            try await stage.eventually("the provider does not answer") {
                try await stage.metrics().value("fanfare_pushes_in_flight") == 0
            }
            // All earlier writes have failed by now.
            for _ in 0..<3 { #expect(try await stage.call("start", "{").status == 503) }
            try await stage.redis.restart()
            try await stage.eventually("the Live Activity does not count as ended") {
                try await stage.read("/api/v1/live-activity/\(id)")["counts", "ended"]?.int64 == 2
            }
            #expect(stage.pushes(.end).count == 2)
        }
    }

    /// A start to 3,000 devices that takes some seconds; returns when a third has been sent.
    private func beginStart(_ stage: TestStage) async throws -> (activity: String, broadcast: UniqueID) {
        try await stage.addDevices(3000)
        let id = try await stage.register(3000)
        stage.mock.setScript(.slow(.milliseconds(100), streams: 100))
        let broadcast = try await stage.begin("start", TestStage.body(id))
        #expect(await stage.mock.waitFor(pushes: 1000, timeout: .seconds(60)))
        return (id, broadcast)
    }

    private func expectOneStartEach(_ stage: TestStage, _ broadcast: UniqueID) async throws {
        try await stage.eventually { try await stage.ready().status == 200 }
        let ended = try await stage.ended(broadcast)
        #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 3000, "\(ended.text)")
        #expect(ended.failed("unknown") == 0 && ended["total"]?.int64 == 3000, "\(ended.text)")
        let tokens = stage.pushes(.start).map(\.token)
        #expect(tokens.count == 3000 && Set(tokens).count == 3000)
    }

    @Test("A Redis killed and restarted with its files has lost nothing, and the broadcast continues")
    func persistence() async throws {
        var redis = RedisServerOptions()
        redis.persistence = .appendOnly
        try await TestStage.run(redis: redis, configure: { $0.push.maximumConnections = 1 }) { stage in
            let (id, broadcast) = try await beginStart(stage)
            stage.redis.kill()
            try await stage.redis.restart()
            try await expectOneStartEach(stage, broadcast)
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
            #expect(try await stage.sync(7, id).status == 200)
        }
    }

    @Test(
        "A Redis that is full for a while delays a start and loses nothing of it",
        .disabled(if: StoreBackend.isCluster, "it fills one server; the run without a cluster has it"))
    func full() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            let (_, broadcast) = try await beginStart(stage)
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "maxmemory", "1mb"))
            try await stage.eventually {
                let page = try await stage.metrics()
                return (page.value("fanfare_redis_refusals_total", ["kind": "oom"]) ?? 0) >= 3
            }
            #expect(stage.mock.counts().pushes < 3000)
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "maxmemory", "0"))
            try await expectOneStartEach(stage, broadcast)
        }
    }

    @Test("No push is sent while Redis hangs for longer than a lease, and none twice afterwards")
    func longPause() async throws {
        try await TestStage.run(
            gateways: 2,
            configure: {
                $0.push.maximumConnections = 1
                // The limits differ by as much as in production: a busy machine may pause a gateway for two seconds.
                $0.jobs.limits.silence = .seconds(5)
                $0.jobs.limits.caution = .seconds(2)
                $0.jobs.limits.renewal = .milliseconds(300)
            }
        ) { stage in
            let (_, broadcast) = try await beginStart(stage)
            stage.redis.pause()
            // By then the gateway has noticed, and what it had in hand is out.
            try await Task.sleep(for: .milliseconds(5_500))
            let held = stage.mock.counts().pushes
            try await Task.sleep(for: .seconds(1))
            #expect(stage.mock.counts().pushes == held && held < 3000)
            stage.redis.resume()
            try await expectOneStartEach(stage, broadcast)
        }
    }
}
