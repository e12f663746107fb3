import BroadcastCore
import Broadcasts
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@Suite(
    "Primary and replica change places behind a fixed address", .serialized,
    .disabled(
        if: StoreBackend.isCluster || StoreBackend.isEncrypted,
        "it is about plain single servers; the run without a cluster has it"))
struct StoreFailoverTests {
    private static let count = 5000

    private static let settings: RedisServerOptions = {
        var settings = RedisServerOptions()
        settings.listensOnTCP = true
        settings.persistence = .appendOnly
        settings.arguments = ["--repl-diskless-sync-delay", "0"]
        return settings
    }()

    /// Sends a command to a server in any role.
    private func tell(_ server: RedisServerProcess, _ command: RedisCommand) async throws -> String {
        let reactor = try Reactor(name: "test-admin")
        defer { reactor.stop() }
        var options = RedisClientOptions()
        options.needsPrimary = false
        let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
        let result = await client.call(command)
        await client.shutdown()
        return try result.get().string ?? ""
    }

    /// True if a replica has its primary's data. A replica that is loading refuses the question.
    private func isInStep(_ replica: RedisServerProcess) async -> Bool {
        let info = try? await tell(replica, RedisCommand("INFO", "replication"))
        return info?.contains("master_link_status:up") == true
    }

    /// Leads new connections to a server. Connections that exist stay.
    private func lead(_ address: String, to server: String) throws {
        try? FileManager.default.removeItem(atPath: address)
        try FileManager.default.createSymbolicLink(atPath: address, withDestinationPath: server)
    }

    /// A gateway that shares only the replica takes over, so only the replica's data show which devices may have got a
    /// start.
    @Test("After the loss of primary and gateway, a lagging replica knows every device that may have got a start")
    func laggingReplica() async throws {
        let count = 1000
        let address = "/tmp/fanfare-address-\(UniqueID.random()).sock"
        defer { try? FileManager.default.removeItem(atPath: address) }
        try await TestStage.run(
            redis: StoreFailoverTests.settings,
            configure: { options in
                guard case .unix(let path) = options.redis.location else { return }
                try? lead(address, to: path)
                options.redis = RedisEndpoint(location: .unix(path: address))
                // The default. It bounds the time until the other server is found.
                options.redisTimeout = .seconds(2)
                options.push.maximumConnections = 1
                options.jobs.limits.silence = .seconds(2)
                options.surveillance.period = .milliseconds(200)
                options.surveillance.periodsForChecks = 1
            }
        ) { stage in
            guard case .server(let first) = stage.redis, case .tcp(_, let port)? = first.tcpEndpoint?.location else {
                return #expect(Bool(false), "no server with a port")
            }
            try await stage.addDevices(count)
            let id = try await stage.register(count)
            let second = try await RedisServerProcess.start(
                in: "\(stage.directory)/second", options: StoreFailoverTests.settings, deadline: .seconds(30))
            let way = try Relay(to: port, delay: 100)
            defer { way.cut() }
            _ = try await tell(second, RedisCommand("REPLICAOF", "127.0.0.1", Int(way.port)))
            try await stage.eventually("no replication") { await isInStep(second) }
            let redis = stage.store.redis
            try await stage.eventually("the replica is not found") { redis.replicasToWait == 1 }
            stage.mock.setScript(.slow(.milliseconds(50), streams: 100))
            let answer = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let location = try #require(answer.headers["location"], "\(answer.text)")
            // The replica has the start before its caller gets the answer.
            let find = "return #redis.call('KEYS', 'fanfare:{*}:unfinished') > 0 and 'begun' or 'unknown'"
            #expect(try await tell(second, RedisCommand("EVAL_RO", find, 0)) == "begun")
            #expect(await stage.mock.waitFor(pushes: 600, timeout: .seconds(60)))
            first.kill()
            #expect(redis.clusterCounts.replicated > 0 && redis.clusterCounts.unreplicated == 0)
            way.cut()
            _ = try await tell(second, RedisCommand("REPLICAOF", "NO", "ONE"))
            var options = stage.options
            options.redis = second.endpoint
            let other = try await Gateway.start(options, logger: TestStage.silent)
            var ended = answer
            try await stage.eventually("the start does not end") {
                ended = try await stage.send(
                    "GET", location, nil, headers: ["X-Api-Key": stage.tenant.apiKey], port: other.port)
                return ended["state"]?.string == "done"
            }
            #expect(ended["total"]?.int64 == Int64(count), "\(ended.text)")
            let tokens = stage.pushes(.start).map(\.token)
            #expect(Set(tokens).count == tokens.count, "\(tokens.count - Set(tokens).count) twice")
            #expect(tokens.count + ended.failed("unknown") >= count, "\(ended.text)")
            try lead(address, to: "\(second.directory)/redis.sock")
            await other.stop()
            await stage.gateways[0].stop()
            second.kill()
        }
    }

    @Test("A running start continues at the new primary within seconds, and every device is pushed exactly once")
    func middleOfStart() async throws {
        let count = StoreFailoverTests.count
        let address = "/tmp/fanfare-address-\(UniqueID.random()).sock"
        defer { try? FileManager.default.removeItem(atPath: address) }
        try await TestStage.run(
            redis: StoreFailoverTests.settings,
            configure: { options in
                guard case .unix(let path) = options.redis.location else { return }
                try? lead(address, to: path)
                options.redis = RedisEndpoint(location: .unix(path: address))
                // The default. It bounds the time until the other server is found.
                options.redisTimeout = .seconds(2)
                options.push.maximumConnections = 1
                options.surveillance.period = .milliseconds(500)
            }
        ) { stage in
            guard case .server(let first) = stage.redis, case .tcp(_, let port)? = first.tcpEndpoint?.location else {
                return #expect(Bool(false), "no server with a port")
            }
            let second = try await RedisServerProcess.start(
                in: "\(stage.directory)/second", options: StoreFailoverTests.settings, deadline: .seconds(30))
            _ = try await tell(second, RedisCommand("REPLICAOF", "127.0.0.1", Int(port)))
            try await stage.addDevices(count)
            let id = try await stage.register(count)
            try await stage.eventually("no replication") {
                await isInStep(second)
            }
            stage.mock.setScript(.slow(.milliseconds(100), streams: 100))
            let broadcast = try await stage.begin("start", TestStage.body(id))
            #expect(await stage.mock.waitFor(pushes: 1500, timeout: .seconds(60)))

            #expect(try await tell(first, RedisCommand("FAILOVER")) == "OK")
            try await stage.eventually("no failover") {
                try await tell(first, RedisCommand("INFO", "replication")).contains("role:slave")
            }
            // The address still leads to the former primary.
            try await stage.eventually("the gateway calls itself ready at a replica") {
                let ready = try await stage.ready(stage.gateways[0])
                return ready.status == 503 && ready.text.contains("READONLY")
            }
            #expect(stage.mock.counts().pushes < count)
            try lead(address, to: "\(second.directory)/redis.sock")
            let start = MonotonicTime.now()
            let before = stage.mock.counts().pushes
            #expect(await stage.mock.waitFor(pushes: before + 1, timeout: .seconds(60)))
            #expect(MonotonicTime.now() - start < .seconds(8))

            let ended = try await stage.ended(broadcast)
            #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == Int64(count), "\(ended.text)")
            #expect(ended.failed("unknown") == 0 && ended["total"]?.int64 == Int64(count), "\(ended.text)")
            let tokens = stage.pushes(.start).map(\.token)
            #expect(tokens.count == count && Set(tokens).count == count)
            #expect(try await stage.ready(stage.gateways[0]).status == 200)
            await second.stop()
        }
    }
}
