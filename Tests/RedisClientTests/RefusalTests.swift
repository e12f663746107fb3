import Foundation
import Reactor
import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

@Suite("What a server refuses")
struct RefusalTests {
    @Test(
        "Error replies are told apart by kind, also those of a script's command",
        arguments: [
            ("OOM command not allowed when used memory > 'maxmemory'.", RedisRefusal.outOfMemory),
            ("MISCONF Errors writing to the AOF file: No space left on device", .cannotPersist),
            ("NOREPLICAS Not enough good replicas to write.", .tooFewReplicas),
            ("READONLY You can't write against a read only replica.", .readOnly),
            ("BUSY Redis is busy running a script.", .busy),
            ("LOADING Redis is loading the dataset in memory", .notServing),
            ("NOPERM User w has no permissions to run the 'xadd' command", .noPermission),
            (
                "ERR The user executing the script can't run this command or subcommand script: 26, on @user_script:1.",
                .noPermission
            ),
            ("ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed", .outOfMemory),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", .wrongType),
            ("ERR value is not an integer or out of range", .other),
        ])
    func kinds(message: String, kind: RedisRefusal) {
        #expect(RedisError(errorReply: message).refusal == kind)
    }

    @Test("What did not come from a server is no refusal, and what is shown repeats no arguments")
    func words() {
        #expect(RedisError.unavailable("not connected", mayHaveBeenExecuted: false).refusal == nil)
        #expect(RedisError.timedOut(mayHaveBeenExecuted: true).refusal == nil)
        let reply = "ERR unknown command 'FOO', with args beginning with: 'secret' 'token' "
        #expect(RedisRefusal.words(reply) == "ERR unknown command 'FOO'")
        #expect(RedisRefusal.words(String(repeating: "x", count: 999)).count == 240)
    }

    @Test("Refusals are counted by kind and told; questions that may be refused are not")
    func counted() async throws {
        let told = Locked<[String]>([])
        try await withClient({ $0.refused = { kind, words in told.withLock { $0.append("\(kind): \(words)") } } }) {
            client, _ in
            _ = await client.call(RedisCommand("SET", "k", "v"))
            _ = await client.call(RedisCommand("HGET", "k", "f"))
            _ = await client.call(RedisCommand("HGET", "k", "f").asProbe())
            let snapshot = await client.snapshot()
            #expect(snapshot.refusals[RedisRefusal.wrongType.rawValue] == 1)
            #expect(snapshot.refusals.reduce(0, +) == 1)
            #expect(told.withLock { $0.count } == 1)
            #expect(told.withLock { $0.first }?.hasPrefix("wrongtype: WRONGTYPE ") == true)
        }
    }

    private static let rights = RedisRights(
        key: "fanfare:{r}",
        samples: [["SET", "fanfare:{r}", "1"], ["XADD", "fanfare:{r}", "*", "a", "b"], ["GET", "fanfare:{r}"]])
    private static let script = RedisScript(
        name: "two-writes", source: "redis.call('SET', KEYS[1], '1') return redis.call('XADD', KEYS[2], '*', 'a', 'b')")

    /// The rights with commands that no script can probe.
    private static let moreRights = RedisRights(
        key: rights.key,
        samples: rights.samples + [
            ["PING"], ["SCRIPT", "LOAD", "return 1"], ["EVAL", "return 1", "1", rights.key],
            ["EVALSHA", String(repeating: "0", count: 40), "1", rights.key],
        ])

    private func withUser(
        _ rules: [String], asking rights: RedisRights = rights,
        _ body: (RedisClient, RedisServerProcess, RedisClient) async throws -> Void
    ) async throws {
        var options = RedisServerOptions()
        options.arguments = ["--user", "w", "on", ">pw", "~fanfare:*"] + rules
        try await withServer(options) { server, reactor in
            var endpoint = server.endpoint
            endpoint.user = "w"
            endpoint.password = "pw"
            var clientOptions = RedisClientOptions()
            clientOptions.rights = rights
            clientOptions.scripts = [Self.script]
            let admin = RedisClient(reactor: reactor, endpoint: server.endpoint)
            let client = RedisClient(reactor: reactor, endpoint: endpoint, options: clientOptions)
            let result: Result<Void, any Error>
            do { result = .success(try await body(client, server, admin)) } catch { result = .failure(error) }
            await client.shutdown()
            await admin.shutdown()
            try result.get()
        }
    }

    @Test(
        "A right that is missing is known before the first command: no script is sent, so none is refused half-way",
        arguments: [["+@all", "-xadd"], ["+@all", "-xadd", "-acl"]])
    func missing(rules: [String]) async throws {
        try await withUser(rules) { client, _, admin in
            let refused = await client.run(Self.script, keys: ["fanfare:{r}a", "fanfare:{r}b"])
            guard case .failure(let error) = refused else { return #expect(Bool(false), "it ran") }
            #expect(error.refusal == .noPermission)
            #expect(client.missingRights?.commands == ["xadd"])
            #expect(client.missingRights?.remedy == "ACL SETUSER w ~fanfare:* +xadd")
            #expect(try await admin.value(RedisCommand("EXISTS", "fanfare:{r}a")).int == 0)
            #expect(try await admin.value(RedisCommand("KEYS", "*")).array?.isEmpty == true)
            // A plain command is one step that the server refuses or executes.
            #expect(try await client.value(RedisCommand("SET", "fanfare:{r}c", "1")).string == "OK")

            _ = try await admin.value(RedisCommand("ACL", "SETUSER", "w", "+xadd"))
            client.reactor.execute { client.checkRights() }
            #expect(await eventually { client.missingRights == nil })
            guard case .success = await client.run(Self.script, keys: ["fanfare:{r}a", "fanfare:{r}b"]) else {
                return #expect(Bool(false), "the script is still refused")
            }
        }
    }

    @Test(
        "What no script can try is tried by itself, and who may not say PING or load scripts is connected, and told so",
        arguments: ["evalsha", "ping", "script|load", "eval"], [true, false])
    func outsideScripts(command: String, mayAsk: Bool) async throws {
        try await withUser(["+@all", "-\(command)", mayAsk ? "+acl" : "-acl"], asking: Self.moreRights) {
            client, _, admin in
            let refused = await client.run(Self.script, keys: ["fanfare:{r}a", "fanfare:{r}b"])
            guard case .failure(let error) = refused else { return #expect(Bool(false), "it ran") }
            #expect(error.refusal == .noPermission, "\(error)")
            #expect(client.missingRights?.commands == [command])
            #expect(client.missingRights?.remedy == "ACL SETUSER w ~fanfare:* +\(command)")
            _ = try await admin.value(RedisCommand("ACL", "SETUSER", "w", "+\(command)"))
            client.reactor.execute { client.checkRights() }
            #expect(await eventually { client.missingRights == nil })
            #expect(try await admin.value(RedisCommand("KEYS", "*")).array?.isEmpty == true)
        }
    }

    @Test("A right that is taken while the connection lives is noticed by the first refusal")
    func taken() async throws {
        try await withUser(["+@all"]) { client, _, admin in
            guard case .success = await client.run(Self.script, keys: ["fanfare:{r}a", "fanfare:{r}b"]) else {
                return #expect(Bool(false), "the script is refused")
            }
            #expect(client.missingRights == nil)
            _ = try await admin.value(RedisCommand("ACL", "SETUSER", "w", "-xadd"))
            _ = await client.call(RedisCommand("XADD", "fanfare:{r}b", "*", "a", "b"))
            #expect(await eventually { client.missingRights?.commands == ["xadd"] })
        }
    }

    @Test("A user who may not use the keys lacks everything; one who may do all lacks nothing")
    func keys() async throws {
        try await withUser(["+@all", "resetkeys", "~other:*"]) { client, _, _ in
            _ = await client.call(RedisCommand("PING"))
            #expect(client.missingRights?.commands == ["get", "set", "xadd"])
        }
        try await withUser(["+@all"]) { client, _, _ in
            _ = await client.call(RedisCommand("PING"))
            #expect(client.missingRights == nil)
        }
    }
}
