import Reactor
import TestStore
import TestSupport
import Testing
import TimeCore

@testable import RedisClient

/// Invalid replies end the connection, never the process.
@Suite(.timeLimit(.minutes(2))) struct HostileServerTests {
    /// Returns the first outcome of a command that the server spoils, and the number of connections.
    private func outcome(
        _ answer: @escaping @Sendable (Int) -> String?
    ) async throws -> (Result<RedisValue, RedisError>, connections: Int) {
        var outcome: (Result<RedisValue, RedisError>, connections: Int)?
        try await withReactor { reactor in
            let server = try await ScriptedServer(reactor, answer: answer)
            var options = RedisClientOptions()
            options.connectDeadline = .milliseconds(500)
            options.commandDeadline = .seconds(1)
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
            let result = await client.call(RedisCommand("GET", "x"))
            #expect(await eventually { server.connectionCount >= 2 }, "the client does not try again")
            outcome = (result, server.connectionCount)
            await client.shutdown()
        }
        return try #require(outcome)
    }

    @Test func aReplyToNoCommandEndsTheConnectionAndNotTheProcess() async throws {
        let (result, _) = try await outcome { $0 == 0 ? "" : "+PONG\r\n:1\r\n:2\r\n:3\r\n" }
        guard case .failure(.unavailable) = result else {
            // The stray replies may have come with the reply to PING, before the command was sent.
            #expect(result == .success(.integer(2)))
            return
        }
    }

    @Test func aGreetingOfAnotherProtocolIsRefused() async throws {
        let (result, _) = try await outcome { $0 == 0 ? "+OK ready\r\n" : "-ERR\r\n" }
        guard case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("PONG"))
    }

    @Test(
        arguments: Escaped.each([
            "HTTP/1.1 400 Bad Request\r\n\r\n", "\u{0}\u{1}\u{2}", "*-5\r\n", "$-9\r\n", "*99999999999999\r\n",
            "+PONG\r\n$-2\r\n", ":notanumber\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
            "-LOADING Redis is loading the dataset in memory\r\n", "-ERR max number of clients reached\r\n",
        ]))
    func garbageEndsTheAttempt(_ argument: Escaped<String>) async throws {
        let text = argument.value
        let (result, _) = try await outcome { $0 == 0 ? "" : text }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error != .overloaded)
    }

    @Test(
        arguments: Escaped.each([
            "*2147483647\r\n", "*1048577\r\n", "*1\r\n*1048576\r\n", "*2147483648\r\n", "*9223372036854775807\r\n",
        ]))
    func anArrayThatIsOnlyClaimedTakesNoMemory(_ argument: Escaped<String>) async throws {
        let claim = argument.value
        let (result, _) = try await outcome { $0 == 0 ? "" : $0 == 1 ? claim : nil }
        guard case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(
            reason.contains("the server began a reply of more than") || reason.contains("out of range"), "\(reason)")
    }

    @Test func aServerThatClosesAtOnceIsNotHammered() async throws {
        try await withReactor { reactor in
            let server = try await ScriptedServer(reactor) { $0 == 0 ? "" : nil }
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
            let begin = MonotonicTime.now()
            #expect(await eventually { server.connectionCount >= 5 })
            // Four pauses of at least half of 50, 100, 200 and 400 ms.
            #expect(MonotonicTime.now() - begin >= .milliseconds(370))
            await client.shutdown()
        }
    }
}
