import AsyncHTTPClient
import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOHTTP1
import Reactor
import RedisClient
import RedisServerProcess
import ScrapedMetrics
import TestStore
import Testing
import TimeCore

@Suite(
    "Redis refuses", .serialized,
    .disabled(if: StoreBackend.isCluster, "it configures one server; the run without a cluster has it"))
struct StoreRightsTests {
    /// A gateway whose user in Redis is `w`.
    private static func run(
        _ rules: [String], _ log: CapturedLog, configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage) async throws -> Void
    ) async throws {
        var redis = RedisServerOptions()
        redis.arguments = ["--user", "w", "on", ">pw"] + rules
        try await TestStage.run(
            redis: redis, logger: log.logger(.info),
            configure: {
                $0.redis.user = "w"
                $0.redis.password = "pw"
                $0.surveillance.period = .milliseconds(50)
                configure(&$0)
            }, body)
    }

    @Test("A user that lacks a right: nothing is written, and the gateway says what is missing until it is given")
    func missingRight() async throws {
        let log = CapturedLog()
        try await Self.run(["~fanfare:*", "+@all"], log) { stage in
            try await stage.addDevices(3)
            let id = try await stage.register(3)
            let before = try await stage.keys("*").sorted()
            let broken = try await stage.redis(RedisCommand("ACL", "SETUSER", "w", "-xadd"))
            #expect(broken.string == "OK")
            // The connection is made anew, so that the right is asked for before anything else.
            _ = try await stage.redis(RedisCommand("CLIENT", "KILL", "USER", "w"))
            try await stage.eventually {
                try await stage.ready().code == "NOT_READY"
            }
            let ready = try await stage.ready()
            #expect(ready.status == 503 && ready.names("reasons").contains("redis_rights"), "\(ready.text)")
            #expect(ready.text.contains("ACL SETUSER w ~fanfare:* +xadd"), "\(ready.text)")

            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.status == 503 && start.code == "STORE_UNAVAILABLE", "\(start.text)")
            #expect(start["error"]?.string?.contains("lacks rights") == true, "\(start.text)")
            #expect(start.headers["retry-after"] != nil)
            #expect(try await stage.keys("*").sorted() == before)

            _ = try await stage.redis(RedisCommand("ACL", "SETUSER", "w", "+xadd"))
            try await stage.eventually { try await stage.ready().status == 200 }
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 3)
            #expect(try log.read().contains { $0.metadata["check"] == "rights" && $0.level == "error" })
        }
    }

    @Test("Shards that Redis refuses hold up the broadcasts of their own activities alone")
    func refusedShards() async throws {
        let log = CapturedLog()
        func configure(_ options: inout GatewayOptions) {
            options.jobs.limits.renewal = .milliseconds(100)
            options.jobs.limits.caution = .milliseconds(400)
        }
        try await Self.run(["~fanfare:*", "+@all"], log, configure: configure) { stage in
            try await stage.addDevices(300)
            // One activity is in a refused shard. No refused key has the shard or the id of the two others.
            var refused: [String] = []
            var others: [String] = []
            while refused.isEmpty || others.count < 2 {
                let id = try await stage.register(300)
                let names = [id, "\(StoredJobs.shard(of: try #require(UniqueID(id))))"]
                if names[1].hasPrefix("3") { refused.append(id) } else if !id.hasPrefix("3") { others.append(id) }
            }
            #expect(try await stage.call("start", TestStage.body(others[0])).accepted == 300)
            try await stage.syncAll(0..<300, others[0])
            stage.mock.setScript(.slow(.milliseconds(200), streams: 10))
            let async = ["Prefer": "respond-async"]
            let before = stage.mock.counts().pushes
            let start = try await stage.call("start", TestStage.body(refused[0]), headers: async)
            try await stage.eventually { stage.mock.counts().pushes > before }
            _ = try await stage.redis(
                RedisCommand("ACL", "SETUSER", "w", "resetkeys", "~fanfare:[^{]*", "~fanfare:{[^3]*"))
            try await stage.eventually { log.lines.contains { $0.contains("NOPERM") } }
            stage.mock.setScript(MockScript())
            // The time without a renewal exceeds `caution`.
            try await Task.sleep(for: .milliseconds(600))
            for (event, id) in zip(["update", "start"], others) {
                let answer = try await stage.call(event, TestStage.body(id))
                #expect(answer.accepted == 300, "\(event): \(answer.text)")
            }
            _ = try await stage.redis(RedisCommand("ACL", "SETUSER", "w", "~fanfare:*"))
            let id = try #require(start.broadcastID)
            #expect(try await stage.ended(id)["accepted"]?.int64 == 300)
        }
    }

    @Test("The rights in docs/redis.md suffice for a life from the tenant to the erasure")
    func smallestRights() async throws {
        let log = CapturedLog()
        let rules = ["resetkeys", "~fanfare:*", "nocommands"] + GatewayStore.rights.rules
        try await Self.run(rules, log, configure: { $0.surveillance.periodsForChecks = 1 }) { stage in
            // By the gateway's own connection.
            let tenant = try await stage.store.tenants.createTenant(name: "small", tier: .growth, signatures: .none)
            let own = ["X-Api-Key": tenant.apiKey, "X-Sdk-Key": tenant.sdkKey, "Content-Type": "application/json"]
            func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> TestStage.Answer {
                let answer = try await stage.send(method, "/api/v1/\(path)", body, headers: own)
                #expect(answer.status == 200, "\(path): \(answer.text)")
                return answer
            }
            let names = #""insider_id":"ann","udid":"phone-1""#
            _ = try await send(
                "PUT", "sdk/device",
                "{\(names),\"platform\":\"ios\",\"os_version\":\"18.1\",\"push_opt_in\":true,\"gdpr_consent\":true,"
                    + "\"environment\":\"production\"}")
            let token = String(repeating: "ab", count: 32)
            _ = try await send("PUT", "sdk/push-to-start-token", #"{\#(names),"token":"\#(token)"}"#)
            _ = try await send("PUT", "segments/vip", #"{"insider_ids":["ann","bob"]}"#)
            _ = try await send("PUT", "events/settings", #"{"stream":true,"audit":true}"#)
            let registered = try await send(
                "POST", "live-activity/register",
                #"{"activity_type":"\#(TestStage.type)","segment":"vip","ends_at":"\#(stage.endsAt())"}"#)
            let id = try #require(registered["activity_id"]?.string)
            #expect(try await send("POST", "live-activity/start", TestStage.body(id)).accepted == 1)
            _ = try await send("POST", "sdk/sync", #"{\#(names),"token":"\#(token)","activity_id":"\#(id)"}"#)
            #expect(try await send("POST", "live-activity/update", TestStage.body(id)).accepted == 1)
            _ = try await send("GET", "events")
            _ = try await send("DELETE", "users/ann")
            #expect(try await stage.ready().status == 200)
            let page = try await stage.metrics()
            #expect(page.value("fanfare_redis_refusals_total", ["kind": "noperm"]) == 0)
            #expect(page.value("fanfare_redis_check", ["check": "rights"]) == 1)
            #expect(!log.lines.contains { $0.contains("NOPERM") })

            // A right that no script can try, of a user who may not ask.
            for command in ["evalsha", "ping"] {
                _ = try await stage.redis(RedisCommand("ACL", "SETUSER", "w", "-\(command)"))
                _ = try await stage.redis(RedisCommand("CLIENT", "KILL", "USER", "w"))
                try await stage.eventually("it is ready without \(command)") {
                    let ready = try await stage.ready()
                    return ready.status == 503 && ready.names("reasons").contains("redis_rights")
                        && ready.text.contains("+\(command)")
                }
                try await stage.eventually {
                    try await stage.metrics().value("fanfare_redis_check", ["check": "rights"]) == 0
                }
                _ = try await stage.redis(RedisCommand("ACL", "SETUSER", "w", "+\(command)"))
                try await stage.eventually {
                    try await stage.ready().status == 200
                }
            }
        }
    }

    @Test("A full Redis: 503 that says so, a line with its words, counted; served when it has memory again")
    func outOfMemory() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.info)) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "maxmemory", "1"))
            for _ in 0..<3 {
                let answer = try await stage.call("start", TestStage.body(id))
                #expect(answer.status == 503 && answer.code == "STORE_UNAVAILABLE", "\(answer.text)")
                #expect(answer["error"]?.string?.contains("OOM") == true, "\(answer.text)")
            }
            let page = try await stage.metrics()
            #expect((page.value("fanfare_redis_refusals_total", ["kind": "oom"]) ?? 0) >= 3)
            #expect(page.value("fanfare_redis_refusals_total", ["kind": "noperm"]) == 0)
            let lines = try log.read().filter { $0.metadata["kind"] == "oom" }
            #expect(lines.count == 1 && lines.first?.metadata["redis"]?.hasPrefix("OOM command not allowed") == true)
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "maxmemory", "0"))
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
        }
    }

    @Test("What endangers the promises is a warning and a metric, and keeps a strict gateway from starting")
    func checks() async throws {
        var redis = RedisServerOptions()
        redis.arguments = ["--maxmemory-policy", "allkeys-lru", "--maxmemory", "1gb"]
        let log = CapturedLog()
        try await TestStage.run(
            redis: redis, logger: log.logger(.info),
            configure: {
                $0.surveillance.period = .milliseconds(50)
                $0.surveillance.periodsForChecks = 1
            }
        ) { stage in
            try await stage.eventually {
                let answer = try await stage.ready()
                return answer.status == 200
                    && answer.names("warnings") == ["redis_eviction", "redis_persistence"]
            }
            #expect(try await stage.metrics().value("fanfare_redis_check", ["check": "eviction"]) == 0)
            #expect(try await stage.metrics().value("fanfare_redis_check", ["check": "version"]) == 1)
            var strict = stage.options
            strict.surveillance.rule = .strict
            do {
                await (try await Gateway.start(strict, logger: TestStage.silent)).stop()
                Issue.record("it started")
            } catch let error as EndangeredStoreError {
                #expect(error.findings.map(\.check) == ["eviction", "persistence"])
                #expect(error.description.contains("CONFIG SET maxmemory-policy noeviction"))
            }
            for (name, value) in [("maxmemory-policy", "noeviction"), ("appendonly", "yes"), ("appendfsync", "always")]
            {
                _ = try await stage.redis(RedisCommand("CONFIG", "SET", name, value))
            }
            try await stage.eventually {
                let answer = try await stage.ready()
                return answer.names("warnings").isEmpty && answer.status == 200
            }
            #expect(try log.read().contains { $0.metadata["check"] == "eviction" && $0.level == "notice" })
            let gateway = try await Gateway.start(strict, logger: TestStage.silent)
            // A strict gateway that runs is not ready when things turn bad.
            _ = try await stage.redis(RedisCommand("CONFIG", "SET", "appendfsync", "no"))
            try await stage.eventually {
                let url = "http://127.0.0.1:\(gateway.port)/health/ready"
                let response = try await stage.http.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
                return response.status.code == 503
            }
            await gateway.stop()
        }
    }

    @Test("A gateway whose clock is three hours ahead ends nothing early, and carries schedules out at Redis's time")
    func clockAhead() async throws {
        try await TestStage.run(configure: {
            $0.surveillance.machineClock = { WallTime.now() + .seconds(10_800) }
            $0.surveillance.maximumClockSkew = .seconds(86_400)
            $0.surveillance.period = .milliseconds(50)
        }) { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            #expect(try await stage.sync(0, id).status == 200)
            let later = try await stage.schedule(id, #""offset":3600"#)
            _ = try await stage.schedule(id, #""offset":1"#)
            try await stage.eventually { stage.pushes(.update).count == 1 }
            let states = try await stage.schedules(id).map { ($0.id, try $0.fields.member("state")?.string) }
            #expect(states.contains { $0.0 == later && $0.1 == "pending" }, "\(states)")
            #expect(try await stage.call("update", TestStage.body(id)).status == 200)
        }
    }

    @Test("A gateway whose clock is further off than is allowed takes no work and says so, until it is set")
    func clockSkewed() async throws {
        let ahead = Locked(TimeInterval.seconds(10_800))
        try await TestStage.run(configure: {
            $0.surveillance.machineClock = { WallTime.now() + ahead.withLock { $0 } }
            $0.surveillance.period = .milliseconds(50)
        }) { stage in
            try await stage.eventually {
                let answer = try await stage.ready()
                return answer.names("warnings").contains("redis_clock")
            }
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            let broadcast = try await stage.begin("start", TestStage.body(id))
            // A gateway that counts it as unfinished has read the jobs, and would have taken it in the same step.
            try await stage.eventually { try await stage.metrics().value("fanfare_broadcasts_unfinished") == 1 }
            #expect(try await stage.metrics().sum("fanfare_jobs_taken_total") == 0)
            #expect(stage.pushes(.start).isEmpty)
            ahead.withLock { $0 = .seconds(0) }
            #expect(try await stage.ended(broadcast)["accepted"]?.int64 == 2)
        }
    }
}
