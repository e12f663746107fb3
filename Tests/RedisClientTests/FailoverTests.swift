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

@Suite(
    "A single Redis whose primary changes", .serialized,
    .disabled(if: StoreBackend.isEncrypted, "replication over TLS needs settings of its own"))
struct FailoverTests {
    private func withPair(_ body: (ServerPair, Reactor) async throws -> Void) async throws {
        let directory = "/tmp/fanfare-pair-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let pair = try await ServerPair(in: directory)
        try await withReactor { reactor in try await body(pair, reactor) }
        await pair.first.stop()
        await pair.second.stop()
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

    @Test("Of two places the client uses the primary: at the start, after a death and return, and after a promotion")
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
            // It dies again, the replica takes its place, and it returns as a replica.
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

    @Test(
        "A server that cannot serve is told from a command that fails",
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
