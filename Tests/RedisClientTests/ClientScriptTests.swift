import Reactor
import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

@Suite(.timeLimit(.minutes(2))) struct ClientScriptTests {
    private let script = RedisScript(
        name: "add", source: "return redis.call('INCRBY', KEYS[1], ARGV[1]) * tonumber(ARGV[2])")

    @Test func aScriptRunsInEveryFormAlsoWhenTheServerDoesNotKnowIt() async throws {
        try await withClient { client, _ in
            let script = script
            #expect(await client.run(script, keys: ["n"], arguments: [2, 10]) == .success(.integer(20)))
            _ = try await client.value(RedisCommand("SCRIPT", "FLUSH"))
            let seen: Int64? = await onReactor(client.reactor) { done in
                client.run(script, keys: ["n"], arguments: [3, 10]) { done((try? $0.get())?.integer) }
            }
            #expect(seen == 50)
            _ = try await client.value(RedisCommand("SCRIPT", "FLUSH"))
            let call = RedisCommand(script: script, keys: ["n"], arguments: [1, 1])
            let results = await client.pipeline([call, call, RedisCommand("ECHO", "x"), call])
            #expect(results.map { try? $0.get().int } == [6, 7, nil, 8])
            #expect(results[2] == .success(.bytes(Array("x".utf8))))
        }
    }

    @Test func aKnownScriptIsNotSentAgain() async throws {
        try await withClient { client, _ in
            for _ in 0..<5 { _ = try await client.run(script, keys: ["n"], arguments: [1, 1]).get() }
            let info = try #require(try await client.value(RedisCommand("INFO", "commandstats")).string)
            #expect(info.contains("cmdstat_eval:calls=1,"))
            #expect(info.contains("cmdstat_evalsha:calls=5,"))
        }
    }

    @Test func aScriptWorksAfterARestartOfTheServer() async throws {
        try await withClient { client, server in
            #expect(await client.run(script, keys: ["n"], arguments: [2, 1]) == .success(.integer(2)))
            server.kill()
            try await server.start()
            #expect(
                await eventually {
                    await client.run(script, keys: ["n"], arguments: [5, 1]) == .success(.integer(5))
                })
        }
    }

    @Test func aScriptsOwnErrorIsRejected() async throws {
        try await withClient { client, _ in
            let failing = RedisScript(name: "failing", source: "return redis.error_reply('MINE no')")
            for _ in 0..<2 {
                #expect(await client.run(failing, keys: [String]()) == .failure(.rejected("MINE no")))
            }
        }
    }

    @Test func scriptsNamedInTheOptionsAreKnownFromTheBeginning() async throws {
        let script = script
        try await withClient({ $0.scripts = [script] }) { client, _ in
            _ = try await client.run(script, keys: ["n"], arguments: [1, 1]).get()
            let info = try #require(try await client.value(RedisCommand("INFO", "commandstats")).string)
            #expect(!info.contains("cmdstat_eval:"))
        }
    }
}
