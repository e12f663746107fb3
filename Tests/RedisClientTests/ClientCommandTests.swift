import Reactor
import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

@Suite(.timeLimit(.minutes(2))) struct ClientCommandTests {
    @Test func aPipelineAnswersInTheOrderOfItsCommands() async throws {
        try await withClient { client, _ in
            let commands = (0..<10_000).map { RedisCommand("ECHO", $0) }
            let results = await client.pipeline(commands)
            #expect(results.map { try? $0.get().int } == (0..<10_000).map { Int64($0) })
            #expect(await client.pipeline([]).isEmpty)
        }
    }

    @Test func commandsOfOneTurnGoOutInOneWrite() async throws {
        try await withClient { client, _ in
            func reads() async throws -> Int {
                let info = try #require(try await client.value(RedisCommand("INFO", "stats")).string)
                let line = try #require(info.split(separator: "\r\n").first { $0.hasPrefix("total_reads_processed:") })
                return try #require(Int(line.drop { $0 != ":" }.dropFirst()))
            }
            let before = try await reads()
            // 14,000 bytes: less than the server reads at a time.
            _ = await client.pipeline((0..<1000).map { _ in RedisCommand("PING") })
            #expect(try await reads() - before == 2)
        }
    }

    @Test func everyKindOfReplyArrivesAsItIs() async throws {
        try await withClient { client, _ in
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
            #expect(await client.call(RedisCommand("GET", "none")) == .success(.null))
            #expect(await client.call(RedisCommand("INCRBY", "n", Int64.min)) == .success(.integer(.min)))
            #expect(await client.call(RedisCommand("SET", "empty", "")) == .success(.status("OK")))
            #expect(await client.call(RedisCommand("GET", "empty")) == .success(.bytes([])))
            #expect(await client.call(RedisCommand("LRANGE", "none", 0, -1)) == .success(.array([])))
            let nested = RedisCommand("EVAL", "return {1, 'two', false, {3, {4}}, redis.status_reply('S')}", 0)
            #expect(
                await client.call(nested)
                    == .success(
                        .array([
                            .integer(1), .bytes(Array("two".utf8)), .null,
                            .array([.integer(3), .array([.integer(4)])]), .status("S"),
                        ])))
            let error = await client.call(RedisCommand("INCR", "empty"))
            #expect(error == .failure(.rejected("ERR value is not an integer or out of range")))
            // An error inside an array is a value.
            let transaction = await client.pipeline([
                RedisCommand("MULTI"), RedisCommand("SET", "s", "x"), RedisCommand("LPUSH", "s", "y"),
                RedisCommand("EXEC"),
            ])
            guard case .success(.array(let replies)) = transaction[3], case .error(let message) = replies[1] else {
                Issue.record("\(transaction)")
                return
            }
            #expect(message.hasPrefix("WRONGTYPE"))
        }
    }

    @Test func bigBinaryValuesComeBackAsTheyWent() async throws {
        try await withClient { client, _ in
            let value = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
            let results = await client.pipeline(
                (0..<8).flatMap { [RedisCommand("SET", $0, value), RedisCommand("GET", $0)] })
            for index in 0..<8 { #expect(results[2 * index + 1] == .success(.bytes(value))) }
        }
    }

    @Test func theViewShowsTheReplyWithoutACopy() async throws {
        try await withClient { client, _ in
            _ = try await client.value(RedisCommand("RPUSH", "list", "a", "bc", "def"))
            let seen: [String] = await onReactor(client.reactor) { done in
                client.send(RedisCommand("LRANGE", "list", 0, -1)) { result in
                    guard case .success(let view) = result else { return done([]) }
                    done(["\(view.kind)"] + view.elements.map { "\($0.string)/\($0.bytes.count)" })
                }
            }
            #expect(seen == ["array", "a/1", "bc/2", "def/3"])
            let number: Int64? = await onReactor(client.reactor) { done in
                client.call(RedisCommand("LLEN", "list")) { done((try? $0.get())?.int) }
            }
            #expect(number == 3)
        }
    }

    @Test func aCompletionMaySendMore() async throws {
        try await withClient { client, _ in
            let sum: Int64 = await onReactor(client.reactor) { done in
                nonisolated(unsafe) var left = 1000
                @Sendable func step(_ result: Result<RedisReplyView, RedisError>) {
                    left -= 1
                    if left > 0 {
                        client.send(RedisCommand("INCR", "n"), completion: step)
                    } else {
                        done((try? result.get())?.integer ?? -1)
                    }
                }
                client.send(RedisCommand("INCR", "n"), completion: step)
            }
            #expect(sum == 1000)
        }
    }

    @Test func thousandsOfConcurrentCallsAllGetTheirOwnAnswer() async throws {
        try await withClient { client, _ in
            let wrong = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<5_000 {
                    group.addTask { (try? await client.value(RedisCommand("ECHO", index)))?.int == Int64(index) }
                }
                return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
            #expect(wrong == 0)
        }
    }

    @Test func commandsThatWouldSpoilTheConnectionAreRejected() async throws {
        try await withClient { client, _ in
            for name in ["SUBSCRIBE", "monitor", "HELLO"] {
                guard case .failure(.rejected) = await client.call(RedisCommand(name, "3")) else {
                    Issue.record("\(name) was not rejected")
                    continue
                }
            }
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
        }
    }

    @Test func commandsBeyondTheBoundAreOverloadedAndTheOthersAreServed() async throws {
        try await withClient({ $0.commandLimit = 100 }) { client, _ in
            #expect(await eventually { client.connectionState == .connected })
            let results = await client.pipeline((0..<150).map { RedisCommand("ECHO", $0) })
            #expect(results[..<100].allSatisfy { (try? $0.get()) != nil })
            #expect(results[100...].allSatisfy { $0 == .failure(.overloaded) })
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
        }
    }

    @Test func aServerThatIsReadOnlyIsUnavailable() async throws {
        try await withClient { client, server in
            // A replica without a master answers MASTERDOWN or READONLY to a write.
            _ = try await client.value(RedisCommand("REPLICAOF", "127.0.0.1", 1))
            guard
                case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) =
                    await client.call(RedisCommand("SET", "a", "b"))
            else {
                Issue.record("the write was not unavailable")
                return
            }
            #expect(reason.hasPrefix("READONLY") || reason.hasPrefix("MASTERDOWN"))
        }
    }
}
