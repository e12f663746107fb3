import Reactor
import RedisServerProcess
import Synchronization
import TestStore
import Testing
import TimeCore

@testable import RedisClient

@Suite(.timeLimit(.minutes(3))) struct ClientFailureTests {
    @Test func aSilentServerCostsTheCommandItsDeadlineAndTheOthersTheConnection() async throws {
        try await withClient { client, server in
            _ = try await client.value(RedisCommand("PING"))
            server.pause()
            let begin = MonotonicTime.now()
            async let short = client.call(RedisCommand("INCR", "n"), deadline: .seconds(1))
            async let long = client.call(RedisCommand("INCR", "m"), deadline: .seconds(60))
            let count: Int = await onReactor(client.reactor) { done in waitForFlight(client, 2, done) }
            #expect(count == 2)
            #expect(await short == .failure(.timedOut(mayHaveBeenExecuted: true)))
            guard case .failure(.unavailable(_, mayHaveBeenExecuted: true)) = await long else {
                Issue.record("the other command has another outcome")
                return
            }
            let taken = MonotonicTime.now() - begin
            #expect(taken >= .milliseconds(990) && taken < .seconds(20))
            server.resume()
            #expect(await eventually { await client.call(RedisCommand("PING")) == .success(.status("PONG")) })
        }
    }

    @Test func aSlowServerThatAnswersOthersKeepsItsConnection() async throws {
        try await withReactor { reactor in
            // The server sends one reply for each piece that it receives.
            let greeting = "+PONG\r\n-ERR unknown command\r\n"
            let server = try await ScriptedServer(reactor) { $0 == 0 ? "" : ($0 == 1 ? greeting : ":1\r\n") }
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
            #expect(await eventually { client.connectionState == .connected })
            // One piece gets one reply, so the second command has none until a third is sent.
            let both = await client.pipeline(
                [RedisCommand("GET", "a"), RedisCommand("GET", "b")], deadline: .milliseconds(100))
            #expect(both[0] == .success(.integer(1)))
            #expect(both[1] == .failure(.timedOut(mayHaveBeenExecuted: true)))
            await client.shutdown()
        }
    }

    @Test func afterAKillAndARestartTheSameClientServesAgain() async throws {
        try await withClient { client, server in
            for _ in 0..<3 {
                #expect(await eventually { await client.call(RedisCommand("PING")) == .success(.status("PONG")) })
                server.kill()
                #expect(
                    await eventually {
                        if case .disconnected = client.connectionState { true } else { false }
                    })
                // The command fails at once, long before its deadline.
                guard
                    case .failure(.unavailable(_, mayHaveBeenExecuted: false)) =
                        await client.call(RedisCommand("INCR", "n"), deadline: .seconds(600))
                else {
                    Issue.record("a command succeeded without a server")
                    return
                }
                try await server.start()
                #expect(await eventually { client.connectionState == .connected })
            }
        }
    }

    @Test func commandsInFlightWhenTheServerDiesMayHaveBeenExecuted() async throws {
        try await withClient { client, server in
            _ = try await client.value(RedisCommand("PING"))
            let results = Mutex<[Result<RedisValue, RedisError>]>([])
            server.pause()
            let task = Task {
                let all = await client.pipeline((0..<1000).map { RedisCommand("ECHO", $0) }, deadline: .seconds(60))
                results.withLock { $0 = all }
            }
            let count: Int = await onReactor(client.reactor) { done in waitForFlight(client, 1000, done) }
            #expect(count == 1000)
            server.kill()
            await task.value
            #expect(
                results.withLock { $0 }.allSatisfy {
                    if case .failure(.unavailable(_, mayHaveBeenExecuted: true)) = $0 { true } else { false }
                })
        }
    }

    @Test func aWrongPasswordFailsFastAndIsNamed() async throws {
        var options = RedisServerOptions()
        options.arguments = ["--requirepass", "right"]
        try await withServer(options) { server, reactor in
            var endpoint = server.endpoint
            for (password, word) in [("wrong", "WRONGPASS"), (nil, "NOAUTH")] {
                endpoint.password = password
                let client = RedisClient(reactor: reactor, endpoint: endpoint)
                guard
                    case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) =
                        await client.call(RedisCommand("PING"), deadline: .seconds(600))
                else {
                    Issue.record("served with the wrong password")
                    return
                }
                #expect(reason.contains(word) && !reason.contains("wrong "))
                await client.shutdown()
            }
            endpoint.password = "right"
            endpoint.user = "default"
            endpoint.database = 5
            let client = RedisClient(reactor: reactor, endpoint: endpoint)
            let info = try await client.value(RedisCommand("CLIENT", "INFO")).string
            #expect(info?.contains(" db=5 ") == true)
            await client.shutdown()
        }
    }

    @Test func anEndpointWithoutAServerFailsFast() async throws {
        let free = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
        let (listener, port) = try Socket.listen(on: free)
        Socket.close(listener)
        for url in [
            "redis://127.0.0.1:\(port)", "redis://localhost:\(port)", "unix:///tmp/fanfare-no-such.sock",
            "redis://host.invalid",
        ] {
            try await withReactor { reactor in
                let client = RedisClient(reactor: reactor, endpoint: try RedisEndpoint(url: url))
                for _ in 0..<20 {
                    guard
                        case .failure(.unavailable(_, mayHaveBeenExecuted: false)) =
                            await client.call(RedisCommand("PING"), deadline: .seconds(600))
                    else {
                        Issue.record("\(url) answered")
                        return
                    }
                    guard case .disconnected(_, let reason) = client.connectionState else { continue }
                    // The connection is refused at once. Only the resolver may take until the connect deadline.
                    #expect(url.contains("invalid") || !reason.contains("no connection within"), "\(reason)")
                }
                guard case .disconnected(_, let reason) = client.connectionState else {
                    Issue.record("\(client.connectionState)")
                    return
                }
                #expect(!reason.isEmpty)
                await client.shutdown()
            }
        }
    }

    @Test func aHostNameIsResolvedAndServed() async throws {
        var options = RedisServerOptions()
        options.listensOnTCP = true
        try await withServer(options) { server, reactor in
            guard var endpoint = server.tcpEndpoint, case .tcp(_, let port) = endpoint.location else {
                Issue.record("no TCP port")
                return
            }
            endpoint.location = .tcp(host: "localhost", port: port)
            let client = RedisClient(reactor: reactor, endpoint: endpoint)
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
            await client.shutdown()
        }
    }

    @Test func aServerThatAcceptsAndStaysSilentCostsTheConnectDeadline() async throws {
        try await withReactor { reactor in
            let server = try await ScriptedServer(reactor) { _ in "" }
            var options = RedisClientOptions()
            options.connectDeadline = .milliseconds(300)
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
            guard
                case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) =
                    await client.call(RedisCommand("PING"), deadline: .seconds(600))
            else {
                Issue.record("the silent server answered")
                return
            }
            #expect(reason.contains("300 ms"))
            await client.shutdown()
        }
    }

    @Test func shutdownLeavesNoCallWithoutAnOutcome() async throws {
        try await withClient { client, server in
            _ = try await client.value(RedisCommand("PING"))
            server.pause()
            // Few enough for the socket, even if each command is sent alone.
            let tasks = (0..<100).map { index in
                Task { await client.call(RedisCommand("ECHO", index), deadline: .seconds(100)) }
            }
            let count: Int = await onReactor(client.reactor) { done in waitForFlight(client, 100, done) }
            #expect(count == 100)
            await client.shutdown()
            for task in tasks {
                guard case .failure(.unavailable(_, mayHaveBeenExecuted: true)) = await task.value else {
                    Issue.record("a call has another outcome")
                    return
                }
            }
            #expect(client.connectionState == .shutDown)
            guard case .failure(.unavailable(_, mayHaveBeenExecuted: false)) = await client.call(RedisCommand("PING"))
            else {
                Issue.record("a call after shutdown has another outcome")
                return
            }
            server.resume()
        }
    }

    @Test func shutdownWithinACompletionIsOrderly() async throws {
        try await withClient { client, _ in
            let outcomes: [Bool] = await onReactor(client.reactor) { done in
                nonisolated(unsafe) var outcomes: [Bool] = []
                for index in 0..<100 {
                    client.send(RedisCommand("ECHO", index)) { result in
                        if index == 49 { client.shutdownOnReactor() }
                        outcomes.append((try? result.get()) != nil)
                        if outcomes.count == 100 { done(outcomes) }
                    }
                }
            }
            #expect(outcomes == Array(repeating: true, count: 50) + Array(repeating: false, count: 50))
        }
    }

    @Test func aClientThatIsDroppedGivesEveryCommandAnOutcome() async throws {
        try await withServer { server, reactor in
            let failed: Bool = await withCheckedContinuation { continuation in
                var client: RedisClient? = RedisClient(reactor: reactor, endpoint: server.endpoint)
                server.pause()
                reactor.execute { [client] in
                    client?.send(RedisCommand("PING")) { result in
                        if case .failure = result { continuation.resume(returning: true) }
                    }
                }
                client = nil
            }
            #expect(failed)
            server.resume()
        }
    }
}

/// Calls `done` with the number of commands in flight once it is `count`.
@Sendable func waitForFlight(_ client: RedisClient, _ count: Int, _ done: @escaping @Sendable (Int) -> Void) {
    let inFlight = client.node.connection?.calls.count ?? 0
    if inFlight >= count {
        // The commands are written within one more turn.
        client.reactor.schedule(after: .milliseconds(1)) { done(inFlight) }
    } else {
        client.reactor.schedule(after: .milliseconds(1)) { waitForFlight(client, count, done) }
    }
}
