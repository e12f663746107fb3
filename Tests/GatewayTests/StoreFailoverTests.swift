import Foundation
import Gateway
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
    .disabled(if: StoreBackend.isCluster || StoreBackend.isEncrypted, "it is about single servers without TLS"))
struct StoreFailoverTests {
    private static let count = 5000

    private static let settings: RedisServerOptions = {
        var settings = RedisServerOptions()
        settings.listensOnTCP = true
        settings.persistence = .appendOnly
        settings.arguments = ["--repl-diskless-sync-delay", "0"]
        return settings
    }()

    /// A command to any server, whatever its role.
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

    /// Leads new connections to a server. Connections that exist stay.
    private func lead(_ address: String, to server: String) throws {
        try? FileManager.default.removeItem(atPath: address)
        try FileManager.default.createSymbolicLink(atPath: address, withDestinationPath: server)
    }

    @Test("A running start goes on at the new primary within seconds, and every device is pushed exactly once")
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
                try await tell(second, RedisCommand("INFO", "replication")).contains("master_link_status:up")
            }
            var script = MockScript()
            script.latency = .fixed(.milliseconds(100))
            script.streamLimit = .init(usual: 100)
            stage.mock.setScript(script)
            let answer = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let broadcast = try #require(answer["broadcast_id"]?.string.flatMap { UniqueID($0) }, "\(answer.text)")
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
