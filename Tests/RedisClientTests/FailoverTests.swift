import Foundation
import Reactor
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@testable import RedisClient

/// Two servers, of which the second is a replica of the first, and a fixed address that leads to one of them.
private final class ServerPair {
    let first: RedisServerProcess
    let second: RedisServerProcess
    private let address: String

    init(in directory: String) async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var options = RedisServerOptions()
        options.listensOnTCP = true
        options.persistence = .appendOnly
        options.arguments = ["--repl-diskless-sync-delay", "0"]
        first = try await .start(in: "\(directory)/1", options: options, deadline: .seconds(30))
        second = try await .start(in: "\(directory)/2", options: options, deadline: .seconds(30))
        address = "\(directory)/redis.sock"
        try lead(to: first)
        try await follow(second, first)
    }

    var endpoint: RedisEndpoint { RedisEndpoint(location: .unix(path: address)) }

    /// New connections to the fixed address reach this server. Connections that exist stay.
    func lead(to server: RedisServerProcess) throws {
        try? FileManager.default.removeItem(atPath: address)
        try FileManager.default.createSymbolicLink(
            atPath: address, withDestinationPath: "\(server.directory)/redis.sock")
    }

    /// Makes a server the replica of another and waits for its data.
    func follow(_ replica: RedisServerProcess, _ primary: RedisServerProcess) async throws {
        guard case .tcp(let host, let port)? = primary.tcpEndpoint?.location else { return }
        try await tell(replica, RedisCommand("REPLICAOF", host, Int(port)))
        let isInStep = await eventually {
            let info = try? await tell(replica, RedisCommand("INFO", "replication"))
            return info?.string?.contains("master_link_status:up") == true
        }
        #expect(isInStep, "no replication")
    }

    /// Exchanges the roles of both servers.
    func promoteSecond() async throws {
        try await tell(second, RedisCommand("REPLICAOF", "NO", "ONE"))
        try await follow(first, second)
    }

    @discardableResult
    func tell(_ server: RedisServerProcess, _ command: RedisCommand) async throws -> RedisValue {
        let reactor = try Reactor(name: "test-admin")
        defer { reactor.stop() }
        var options = RedisClientOptions()
        options.needsPrimary = false
        let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
        let result = await client.call(command)
        await client.shutdown()
        return try result.get()
    }
}

/// A sentinel that watches a primary under the name `main`.
private final class Sentinel {
    let port: UInt16
    private let process = Process()

    init(of primary: UInt16, in directory: String) throws {
        guard let any = SocketAddress(numericHost: "127.0.0.1", port: 0) else { throw NoPort() }
        let (listener, port) = try Socket.listen(on: any)
        Socket.close(listener)
        self.port = port
        let settings = """
            port \(port)
            bind 127.0.0.1
            dir \(directory)
            sentinel monitor main 127.0.0.1 \(primary) 1
            sentinel down-after-milliseconds main 500
            sentinel failover-timeout main 2000
            """
        let file = "\(directory)/sentinel.conf"
        try settings.write(toFile: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["redis-server", file, "--sentinel"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        // The child inherits the blocked signals of the thread that starts it, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private struct NoPort: Error {}
}

@Suite(
    "A single Redis whose primary changes", .serialized,
    .disabled(
        if: StoreBackend.isEncrypted, "replication over TLS needs settings of its own; the run without TLS has it"))
struct FailoverTests {
    private func withPair(_ body: (ServerPair, Reactor) async throws -> Void) async throws {
        let directory = "/tmp/fanfare-pair-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let pair = try await ServerPair(in: directory)
        try await withReactor { reactor in try await body(pair, reactor) }
        // A server that is stopped in good order waits for its replica.
        pair.first.kill()
        pair.second.kill()
    }

    private func isConnected(_ client: RedisClient) -> Bool { client.connectionState == .connected }

    private func writes(_ client: RedisClient, _ value: String) async -> Bool {
        await eventually { (try? await client.value(RedisCommand("SET", "k", value)).string) == "OK" }
    }

    @Test("The first refused write leads to the new primary, and every refused command is known not to have run")
    func refusedWrite() async throws {
        try await withPair { pair, reactor in
            let client = RedisClient(reactor: reactor, endpoint: pair.endpoint)
            #expect(await writes(client, "1"))
            // A connection that is lost within its first second counts as a failure.
            try await Task.sleep(for: .milliseconds(1_100))
            try await pair.promoteSecond()
            try pair.lead(to: pair.second)
            let script = RedisScript(name: "write", source: "return redis.call('SET', KEYS[1], 'script')")
            let commands = (0..<100).map {
                $0 % 2 == 0 ? RedisCommand("SET", "k", "2") : RedisCommand(script: script, keys: ["k"])
            }
            let outcomes = await client.pipeline(commands)
            for outcome in outcomes {
                guard case .failure(let error) = outcome else { return #expect(Bool(false), "a replica wrote") }
                #expect(error.refusal == .readOnly && !error.mayHaveBeenExecuted, "\(error)")
            }
            // The new connection is under way already, so the next command waits for it.
            #expect(try await client.value(RedisCommand("SET", "k", "3")).string == "OK")
            #expect(try await pair.tell(pair.second, RedisCommand("GET", "k")).string == "3")
            let snapshot = await client.snapshot()
            #expect(snapshot.connectionsLost == 1 && snapshot.openCommands == 0)
            await client.shutdown()
        }
    }

    @Test("A client without writes leaves a server that has become a replica when it asks for the role")
    func idle() async throws {
        try await withPair { pair, reactor in
            let client = RedisClient(reactor: reactor, endpoint: pair.endpoint)
            #expect(await writes(client, "1"))
            reactor.execute { client.checkRole() }
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
            #expect(await client.snapshot().connectionsLost == 0, "it has left the primary")
            try await pair.promoteSecond()
            #expect(isConnected(client))
            reactor.execute { client.checkRole() }
            // The address still leads to the former primary.
            #expect(await eventually { !isConnected(client) })
            let outcome = await client.call(RedisCommand("SET", "k", "2"))
            guard case .failure(let error) = outcome else { return #expect(Bool(false), "a replica wrote") }
            #expect(error.refusal == .readOnly && !error.mayHaveBeenExecuted, "\(error)")
            try pair.lead(to: pair.second)
            #expect(await writes(client, "3"))
            #expect(try await pair.tell(pair.second, RedisCommand("GET", "k")).string == "3")
            await client.shutdown()
        }
    }

    @Test("With two places the client uses the primary: at the start, after a death and return, and after a promotion")
    func places() async throws {
        try await withPair { pair, reactor in
            guard let first = pair.first.tcpEndpoint?.description, let second = pair.second.tcpEndpoint?.description
            else { return #expect(Bool(false), "no ports") }
            // The replica comes first.
            let client = RedisClient(reactor: reactor, endpoint: try RedisEndpoint(url: "\(second),\(first)"))
            #expect(await client.call(RedisCommand("SET", "k", "1")) == .success(.status("OK")))
            // The primary dies and comes back.
            pair.first.kill()
            #expect(await eventually { !isConnected(client) })
            try await Task.sleep(for: .milliseconds(300))
            #expect(!isConnected(client), "it has settled on the replica")
            try await pair.first.start(deadline: .seconds(30))
            #expect(await writes(client, "2"))
            #expect(try await pair.tell(pair.first, RedisCommand("GET", "k")).string == "2")
            // The primary dies again, the replica takes its place, and the former primary returns as a replica.
            pair.first.kill()
            try await pair.tell(pair.second, RedisCommand("REPLICAOF", "NO", "ONE"))
            #expect(await writes(client, "3"))
            try await pair.first.start(deadline: .seconds(30))
            try await pair.follow(pair.first, pair.second)
            #expect(await writes(client, "4"))
            #expect(try await pair.tell(pair.second, RedisCommand("GET", "k")).string == "4")
            // And back in good order.
            try await pair.tell(pair.first, RedisCommand("REPLICAOF", "NO", "ONE"))
            try await pair.follow(pair.second, pair.first)
            #expect(await writes(client, "5"))
            #expect(try await pair.tell(pair.first, RedisCommand("GET", "k")).string == "5")
            await client.shutdown()
        }
    }

    @Test("Sentinels lead to the primary, and after its death to the promoted replica")
    func sentinel() async throws {
        try await withPair { pair, reactor in
            guard case .tcp(_, let primary)? = pair.first.tcpEndpoint?.location else { return }
            let sentinel = try Sentinel(of: primary, in: pair.first.directory)
            defer { sentinel.stop() }
            func endpoint(_ name: String) throws -> RedisEndpoint {
                // No sentinel listens at the first place.
                try RedisEndpoint(url: "redis+sentinel://127.0.0.1:1,127.0.0.1:\(sentinel.port)/\(name)")
            }
            let client = RedisClient(reactor: reactor, endpoint: try endpoint("main"))
            #expect(await writes(client, "1"))
            #expect(try await pair.tell(pair.first, RedisCommand("GET", "k")).string == "1")
            let stranger = RedisClient(reactor: reactor, endpoint: try endpoint("other"))
            #expect(
                await eventually {
                    guard case .disconnected(_, let reason) = stranger.connectionState else { return false }
                    return reason.contains("it does not monitor a primary named other")
                })
            await stranger.shutdown()

            var options = RedisClientOptions()
            options.needsPrimary = false
            let place = try RedisEndpoint(url: "redis://127.0.0.1:\(sentinel.port)")
            let admin = RedisClient(reactor: reactor, endpoint: place, options: options)
            let replicas = RedisCommand("SENTINEL", "REPLICAS", "main")
            #expect(await eventually { (try? await admin.value(replicas).array?.count) == 1 })
            pair.first.kill()
            // A sentinel that was suspended for two seconds promotes nothing for half a minute.
            let isPromoted = await eventually(within: 100) {
                _ = await client.call(RedisCommand("SET", "k", "2"))
                return (try? await pair.tell(pair.second, RedisCommand("GET", "k")).string) == "2"
            }
            #expect(isPromoted)
            await admin.shutdown()
            await client.shutdown()
        }
    }

    @Test("A silent sentinel delays, and one that demands a password gets the servers'")
    func difficultSentinels() async throws {
        var options = RedisServerOptions()
        options.listensOnTCP = true
        options.arguments = ["--requirepass", "secret"]
        try await withServer(options) { server, reactor in
            guard case .tcp(_, let port)? = server.tcpEndpoint?.location else { return }
            let silent = try await ScriptedServer(reactor) { _ in "" }
            let locked = try await ScriptedServer(reactor) { pieces in
                switch pieces {
                case 0: ""
                case 1: "-NOAUTH Authentication required.\r\n"
                case 2: "+OK\r\n*2\r\n$9\r\n127.0.0.1\r\n$\("\(port)".count)\r\n\(port)\r\n"
                default: nil
                }
            }
            let places = "127.0.0.1:\(silent.port),127.0.0.1:\(locked.port)"
            var options = RedisClientOptions()
            options.connectDeadline = .milliseconds(300)
            let client = RedisClient(
                reactor: reactor, endpoint: try RedisEndpoint(url: "redis+sentinel://:secret@\(places)/main"),
                options: options)
            #expect(await writes(client, "1"))
            #expect(silent.connectionCount > 0)
            await client.shutdown()
            let stranger = RedisClient(
                reactor: reactor,
                endpoint: try RedisEndpoint(url: "redis+sentinel://127.0.0.1:\(locked.port)/main"), options: options)
            #expect(
                await eventually {
                    guard case .disconnected(_, let reason) = stranger.connectionState else { return false }
                    return reason.contains("NOAUTH")
                })
            await stranger.shutdown()
        }
    }

    @Test("The URL of sentinels has the primary's name, and a sign-in and a database that are the primary's")
    func sentinelURL() throws {
        let endpoint = try RedisEndpoint(url: "rediss+sentinel://u:p@a,b:1,[::1]:2/main/3")
        #expect(endpoint.location == .tcp(host: "a", port: 26_379))
        #expect(endpoint.seeds == [.tcp(host: "b", port: 1), .tcp(host: "::1", port: 2)])
        #expect(endpoint.sentinelName == "main" && endpoint.database == 3 && endpoint.tls != nil)
        #expect(endpoint.user == "u" && endpoint.password == "p")
        #expect(endpoint.description == "rediss+sentinel://a:26379/main/3")
        for wrong in [
            "redis+sentinel://a", "redis+sentinel://a/", "redis+sentinel:///main", "redis+sentinel://a,,b/main",
            "redis+sentinel://a/main,redis+sentinel://b/other", "redis+sentinel://a/main,redis://b",
        ] {
            #expect(throws: RedisEndpointError.self, "\(wrong)") { try RedisEndpoint(url: wrong) }
        }
        let twice = try RedisEndpoint(url: "redis+sentinel://a,b/main,redis+sentinel://c/main")
        #expect(twice.seeds == [.tcp(host: "b", port: 26_379), .tcp(host: "c", port: 26_379)])
    }

    @Test("A client that only reads takes a replica")
    func reader() async throws {
        try await withPair { pair, reactor in
            var options = RedisClientOptions()
            options.needsPrimary = false
            let client = RedisClient(reactor: reactor, endpoint: pair.second.endpoint, options: options)
            #expect(await client.call(RedisCommand("GET", "k")) == .success(.null))
            guard case .failure(let error) = await client.call(RedisCommand("SET", "k", "1")) else {
                return #expect(Bool(false), "a replica wrote")
            }
            #expect(error.refusal == .readOnly)
            #expect(isConnected(client))
            await client.shutdown()
        }
    }

    /// A client that waits for replicas.
    private func waiting(_ pair: ServerPair, _ reactor: Reactor, for replicas: Int?) -> RedisClient {
        var options = RedisClientOptions()
        options.replicaMark = RedisCommand("SET", "mark", "", "PX", 1000)
        options.replicasToWait = replicas
        return RedisClient(reactor: reactor, endpoint: pair.endpoint, options: options)
    }

    private func replicated(_ value: String) -> RedisCommand {
        RedisCommand("SET", "k", value).replicated(within: .milliseconds(200))
    }

    /// The number of waits that a server has carried out.
    private func waits(_ pair: ServerPair) async throws -> String? {
        let info = try await pair.tell(pair.first, RedisCommand("INFO", "commandstats")).string ?? ""
        return info.split(separator: "cmdstat_wait:calls=").dropFirst().first.map { String($0.prefix { $0 != "," }) }
    }

    @Test("A write that must not be lost is answered once a replica has it, and many share a wait")
    func replicaHasIt() async throws {
        try await withPair { pair, reactor in
            let client = waiting(pair, reactor, for: nil)
            #expect(await client.call(replicated("1")) == .success(.status("OK")))
            #expect(client.clusterCounts == RedisClusterCounts(), "it waits for a replica that was not found")
            client.replicasFound(1)
            for number in 0..<50 {
                #expect(await client.call(replicated("\(number)")) == .success(.status("OK")))
                let kept = try await pair.tell(pair.second, RedisCommand("GET", "k")).string
                #expect(kept == "\(number)")
            }
            #expect(client.clusterCounts.replicated == 50 && client.clusterCounts.unreplicated == 0)
            let before = try #require(try await waits(pair).flatMap { Int($0) })
            #expect(before == 50)
            let outcomes = await client.pipeline((0..<1000).map { replicated("\($0)") })
            #expect(outcomes.allSatisfy { $0 == .success(.status("OK")) })
            #expect(client.clusterCounts.replicated == 1050)
            let after = try #require(try await waits(pair).flatMap { Int($0) })
            #expect(after - before < 500)
            await client.shutdown()
        }
    }

    @Test("A replica that hangs delays only one write, and no command behind it")
    func replicaHangs() async throws {
        try await withPair { pair, reactor in
            let client = waiting(pair, reactor, for: 1)
            #expect(await writes(client, "1"))
            pair.second.pause()
            let order: [String] = await onReactor(reactor) { completion in
                nonisolated(unsafe) var order: [String] = []
                for (name, command) in [("held", replicated("2")), ("usual", RedisCommand("GET", "k"))] {
                    client.send(command) { _ in
                        order.append(name)
                        if order.count == 2 { completion(order) }
                    }
                }
            }
            #expect(order == ["usual", "held"])
            #expect(client.clusterCounts.replicated == 0 && client.clusterCounts.unreplicated == 1)
            let before = try await waits(pair)
            #expect(await client.call(replicated("3")) == .success(.status("OK")))
            #expect(client.clusterCounts.unreplicated == 2)
            #expect(try await waits(pair) == before, "it waits in vain once more")
            pair.second.resume()
            await client.shutdown()
        }
    }

    @Test("A held write whose server is lost may not have been kept, and says so")
    func heldWhenLost() async throws {
        try await withPair { pair, reactor in
            let client = waiting(pair, reactor, for: 1)
            #expect(await writes(client, "1"))
            pair.second.pause()
            async let held = client.call(replicated("2"))
            #expect(await eventually { (try? await client.value(RedisCommand("GET", "k")).string) == "2" })
            pair.first.kill()
            pair.second.resume()
            guard case .failure(.unavailable(_, mayHaveBeenExecuted: true)) = await held else {
                return #expect(Bool(false), "it counts as kept")
            }
            await client.shutdown()
        }
    }

    @Test("The outcome of a wait for replicas")
    func outcomes() {
        let demoted = RedisError(errorReply: "UNBLOCKED force unblock from blocking operation")
        #expect(ReplicaWait.outcome(.success(1), nil, 1) == .acknowledged)
        #expect(ReplicaWait.outcome(.success(1), nil, 2) == .unacknowledged)
        #expect(ReplicaWait.outcome(.failure(.rejected("NOPERM")), nil, 1) == .unacknowledged)
        #expect(ReplicaWait.outcome(.success(1), .overloaded, 1) == .unacknowledged)
        #expect(ReplicaWait.outcome(.failure(demoted), nil, 1) == .lost("\(demoted)"))
        let refused = RedisError(errorReply: "READONLY You can't write against a read only replica.")
        #expect(ReplicaWait.outcome(.success(1), refused, 1) == .lost("\(refused)"))
    }

    @Test(
        "A server that cannot serve is distinguished from a failing command",
        arguments: [
            "READONLY You can't write against a read only replica.",
            "ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write against a read only replica.",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "LOADING Redis is loading the dataset in memory",
            "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
        ])
    func passing(_ message: String) {
        let error = RedisError(errorReply: message)
        #expect(error == .unavailable(message, mayHaveBeenExecuted: false))
        #expect(error.refusal == .readOnly || error.refusal == .notServing)
        #expect(RedisError(errorReply: "OOM command not allowed") == .rejected("OOM command not allowed"))
    }
}
