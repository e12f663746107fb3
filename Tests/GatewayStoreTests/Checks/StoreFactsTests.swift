import LiveActivity
import Reactor
import RedisClient
import RedisServerProcess
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What is checked of Redis")
struct StoreFactsTests {
    private static func sound() -> StoreFacts {
        var facts = StoreFacts()
        facts.info = [
            "redis_version": "7.0.15", "maxmemory_policy": "noeviction", "maxmemory": "1000", "used_memory": "100",
            "aof_enabled": "1", "aof_last_write_status": "ok",
        ]
        facts.settings = ["appendfsync": "always", "save": ""]
        facts.defaultUserMayWrite = true
        facts.clockSkew = 20
        return facts
    }

    private static func finding(
        _ name: StoreCheck.Name, _ change: (inout StoreFacts) -> Void
    ) -> StoreCheck.Finding? {
        var facts = sound()
        change(&facts)
        return facts.checks.first { $0.name == name }?.finding
    }

    private func isDanger(_ name: StoreCheck.Name, _ change: (inout StoreFacts) -> Void) -> Bool {
        if case .danger(let text, let remedy) = Self.finding(name, change) {
            !text.isEmpty && !remedy.isEmpty
        } else {
            false
        }
    }

    private func isWarning(_ name: StoreCheck.Name, _ change: (inout StoreFacts) -> Void) -> Bool {
        if case .warning = Self.finding(name, change) { true } else { false }
    }

    @Test("A Redis that is as it should be passes all checks; one that tells nothing is not suspected of anything")
    func extremes() {
        #expect(Self.sound().checks.allSatisfy { $0.finding == .good })
        #expect(Self.sound().checks.count == StoreCheck.Name.allCases.count)
        let silent = StoreFacts()
        #expect(silent.checks.allSatisfy { $0.finding == .unknown || $0.name == .rights })
        #expect(silent.checks.allSatisfy { $0.text == nil })
    }

    @Test("Eviction, persistence, version, memory, clock, rights: what endangers a promise is named with its remedy")
    func rules() {
        #expect(isDanger(.eviction) { $0.info["maxmemory_policy"] = "volatile-lru" })
        #expect(
            isWarning(.eviction) {
                $0.info["maxmemory_policy"] = "allkeys-lru"
                $0.info["maxmemory"] = "0"
            })
        #expect(isDanger(.persistence) { $0.info["aof_enabled"] = "0" })
        #expect(isDanger(.persistence) { $0.info["aof_last_write_status"] = "err" })
        #expect(isDanger(.persistence) { $0.settings["appendfsync"] = "everysec" })
        #expect(isDanger(.persistence) { $0.settings["appendfsync"] = "no" })
        #expect(Self.finding(.persistence) { $0.settings = [:] } == .unknown)
        #expect(isDanger(.version) { $0.info["redis_version"] = "6.0.16" })
        #expect(Self.finding(.version) { $0.info["redis_version"] = "6.2.0" } == .good)
        #expect(Self.finding(.version) { $0.info["redis_version"] = "10.0" } == .good)
        #expect(isWarning(.memory) { $0.info["used_memory"] = "800" })
        #expect(Self.finding(.memory) { $0.info["used_memory"] = "799" } == .good)
        #expect(isDanger(.clock) { $0.clockSkew = 10_800_000 })
        #expect(isDanger(.clock) { $0.clockSkew = -300_001 })
        #expect(Self.finding(.clock) { $0.clockSkew = 300_000 } == .good)
        #expect(isDanger(.rights) { $0.missingRights = (["xadd"], "ACL SETUSER w +xadd") })
    }

    @Test("Starts are held back only with everysec, on a single server that knows WAITAOF and lets the user run it")
    func heldStarts() {
        func holds(_ change: (inout StoreFacts) -> Void) -> Bool {
            var facts = Self.sound()
            facts.settings["appendfsync"] = "everysec"
            facts.fileWait = .offered
            facts.info["cluster_enabled"] = "0"
            change(&facts)
            return facts.holdsStarts
        }
        #expect(holds { _ in })
        #expect(!holds { $0.settings["appendfsync"] = "always" })
        #expect(!holds { $0.settings["appendfsync"] = "no" })
        #expect(!holds { $0.settings = [:] })
        #expect(!holds { $0.info["aof_enabled"] = "0" })
        #expect(!holds { $0.info["cluster_enabled"] = "1" })
        #expect(!holds { $0.fileWait = .denied })
        #expect(!holds { $0.fileWait = .unknown })
        let denied = Self.finding(.persistence) {
            $0.settings["appendfsync"] = "everysec"
            $0.fileWait = .denied
        }
        #expect(StoreCheck(.persistence, denied ?? .good).text?.contains("WAITAOF") == true)
    }

    @Test("A default user without rights matters only where an append-only file is loaded")
    func defaultUser() {
        #expect(isDanger(.aclDefaultUser) { $0.defaultUserMayWrite = false })
        #expect(
            Self.finding(.aclDefaultUser) {
                $0.defaultUserMayWrite = false
                $0.info["aof_enabled"] = "0"
            } == .good)
    }

    @Test("A real Redis is seen as it is, also when it is changed while it runs")
    func real() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            func text(_ name: StoreCheck.Name) async throws -> String? {
                try #require(await stage.store.facts()).checks.first { $0.name == name }?.text
            }
            #expect(try await text(.persistence)?.contains("no append-only file") == true)
            for name in [StoreCheck.Name.eviction, .version, .memory] { #expect(try await text(name) == nil) }
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "maxmemory-policy", "volatile-lru"))
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "maxmemory", "1048576"))
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendonly", "yes"))
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendfsync", "always"))
            #expect(try await text(.eviction)?.contains("volatile-lru") == true)
            #expect(try await text(.memory)?.contains("maxmemory") == true)
            #expect(try await text(.persistence) == nil)
            // A server does not stop while it writes its first append-only file.
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendonly", "no"))
        }
    }

    private static func withServer(
        _ persistence: RedisServerOptions.Persistence, _ arguments: [String],
        _ body: (RedisServerProcess, RedisClient) async throws -> Void
    ) async throws {
        var options = RedisServerOptions()
        options.persistence = persistence
        options.arguments = arguments
        let directory = "/tmp/fanfare-facts-\(UniqueID.random())"
        let server = try await RedisServerProcess.start(in: directory, options: options, deadline: .seconds(30))
        let reactor = try Reactor(name: "facts")
        var endpoint = server.endpoint
        endpoint.user = "w"
        endpoint.password = "pw"
        let client = RedisClient(reactor: reactor, endpoint: endpoint)
        let result: Result<Void, any Error>
        do { result = .success(try await body(server, client)) } catch { result = .failure(error) }
        await client.shutdown()
        reactor.stop()
        await server.stop()
        try result.get()
    }

    @Test("A Redis that refuses CONFIG, INFO and ACL is not suspected of anything, and the questions are no refusals")
    func managed() async throws {
        let user = ["--user", "w", "on", ">pw", "~fanfare:*", "+@all", "-config", "-info", "-acl"]
        try await Self.withServer(.none, user) { _, client in
            let facts = try #require(await GatewayStore(redis: client).facts())
            #expect(facts.checks.allSatisfy { $0.text == nil })
            #expect(await client.snapshot().refusals.reduce(0, +) == 0)
        }
    }

    /// Redis 7.0 drops a script's writes when it loads its file, unless the default user may write them. Newer versions
    /// may keep them.
    @Test("A default user without rights is recognised, and with the remedy scripts' writes are there after a kill")
    func defaultUserTrap() async throws {
        let script = RedisScript(
            name: "two", source: "redis.call('SET', KEYS[1], '1') return redis.call('HSET', KEYS[2], 'a', 'b')")
        for isMended in [false, true] {
            let rights = isMended ? ["~*", "&*", "+@all"] : []
            let users = ["--user", "default", "off"] + rights + ["--user", "w", "on", ">pw", "~*", "&*", "+@all"]
            try await Self.withServer(.appendOnly, users) { server, client in
                let store = GatewayStore(redis: client)
                let check = try #require(await store.facts()).checks.first { $0.name == .aclDefaultUser }
                #expect(check?.isDanger == !isMended)
                guard case .success = await client.run(script, keys: ["fanfare:{x}1", "fanfare:{x}2"]) else {
                    return #expect(Bool(false), "the script is refused")
                }
                let version = try #require(await store.facts()).info["redis_version"] ?? ""
                server.kill()
                try await server.start(deadline: .seconds(30))
                var count: Int64?
                while count == nil {
                    count = try? await client.value(RedisCommand("EXISTS", "fanfare:{x}1", "fanfare:{x}2")).int
                }
                if isMended { #expect(count == 2) } else if version.hasPrefix("7.0") { #expect(count == 0) }
            }
        }
    }
}
