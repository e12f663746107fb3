import Reactor
import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

/// Tests with real clusters of six processes, one at a time.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ClusterTests {}

extension ClusterTests {
    @Test func commandsReachTheirSlotsAndRepliesComeInTheirOrder() async throws {
        let script = RedisScript(name: "own-key", source: "return redis.call('SET', KEYS[1], ARGV[1])")
        let loaded = RedisScript(name: "loaded", source: "return KEYS[1]")
        try await withCluster({ $0.scripts = [loaded] }) { client, cluster in
            let writes = await client.pipeline((0..<600).map { RedisCommand("SET", "key-\($0)", $0) })
            #expect(writes.allSatisfy { $0 == .success(.status("OK")) })
            let reads = await client.pipeline((0..<600).map { RedisCommand("GET", "key-\($0)") })
            #expect(reads.map { (try? $0.get())?.int } == (0..<600).map { Int64($0) })
            let masters = cluster.servers[..<RedisCluster.masterCount]
            for server in masters {
                // Each master has its share of the keys.
                let size = try await cluster.call(RedisCommand("DBSIZE"), on: server).get().int ?? 0
                #expect((100...300).contains(size), "\(size)")
                // Each master knows the scripts of the options.
                let exists = try await cluster.call(RedisCommand("SCRIPT", "EXISTS", loaded.digest), on: server).get()
                #expect(exists == .array([.integer(1)]))
            }
            // A script that no node knows runs on all of them.
            for third in 0..<3 {
                let command = RedisCommand(script: script, keys: [key(inThird: third)], arguments: [third])
                #expect(await client.call(command) == .success(.status("OK")))
                #expect(
                    await client.call(RedisCommand("GET", key(inThird: third))).map(\.int) == .success(Int64(third)))
                let call = RedisCommand(script: loaded, keys: [key(inThird: third)])
                #expect(try await client.string(call) == key(inThird: third))
            }
            // Client and server compute the same slots.
            for number in 0..<200 {
                let key = number % 2 == 0 ? "k\(number)" : "a{b\(number)}c{d}"
                let slot = try await client.value(RedisCommand("CLUSTER", "KEYSLOT", key)).int
                #expect(slot == Int64(ClusterSlot.of(key)))
            }
            #expect(client.clusterCounts.redirections == 0)
            #expect(client.connectionState == .connected)
            #expect(await onReactor(client.reactor) { done in done(client.keepsOrderAcrossKeys) } == false)

            // Commands that no cluster supports are rejected without a retry.
            for command in [RedisCommand("MGET", key(inThird: 0), key(inThird: 1)), RedisCommand("MULTI")] {
                guard case .failure(.rejected) = await client.call(command) else {
                    Issue.record("\(command) was not rejected")
                    continue
                }
            }
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
            try await aPasswordCountsForAllNodes(client, cluster)
        }
    }

    private func aPasswordCountsForAllNodes(_ client: RedisClient, _ cluster: RedisCluster) async throws {
        for server in cluster.servers {
            let set = RedisCommand("CONFIG", "SET", "requirepass", "secret")
            _ = try await cluster.call(set, on: server).get()
        }
        var endpoint = cluster.endpoint
        for (password, isRight) in [("wrong", false), ("secret", true)] {
            endpoint.password = password
            let other = RedisClient(reactor: client.reactor, endpoint: endpoint)
            for third in 0..<3 {
                let outcome = await other.call(RedisCommand("SET", key(inThird: third), 1))
                #expect((outcome == .success(.status("OK"))) == isRight)
            }
            await other.shutdown()
        }
    }

    @Test func commandsOfOneSlotKeepTheirOrderWhenConnectionsAreLost() async throws {
        try await withCluster { client, cluster in
            let list = key(inThird: 1)
            _ = try await client.value(RedisCommand("RPUSH", list, -1))
            let server = try #require(await cluster.master(of: Int(ClusterSlot.of(list))))
            let failures: Int = await onReactor(client.reactor) { done in
                nonisolated(unsafe) var open = 0
                nonisolated(unsafe) var failures = 0
                @Sendable func step(_ number: Int) {
                    for offset in 0..<50 {
                        open += 1
                        client.send(RedisCommand("RPUSH", list, number * 50 + offset)) { result in
                            if case .failure = result { failures += 1 }
                            open -= 1
                            if open == 0, number == 199 { done(failures) }
                        }
                    }
                    if number < 199 { client.reactor.schedule(after: .milliseconds(3)) { step(number + 1) } }
                }
                step(0)
                @Sendable func disconnect(_ count: Int) {
                    guard count > 0 else { return }
                    Task {
                        _ = await cluster.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal"), on: server)
                        client.reactor.execute {
                            client.reactor.schedule(after: .milliseconds(60)) { disconnect(count - 1) }
                        }
                    }
                }
                disconnect(8)
            }
            let numbers = try await client.value(RedisCommand("LRANGE", list, 0, -1)).array?.compactMap(\.int) ?? []
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            #expect(numbers.count + failures >= 10_000)
            #expect(numbers.count > 5_000)
        }
    }

    @Test func commandsOfOneSlotKeepTheirOrderThroughAFailover() async throws {
        try await withCluster { client, cluster in
            let list = key(inThird: 0)
            _ = try await client.value(RedisCommand("RPUSH", list, -1).replicated(within: .seconds(2)))
            let victim = try #require(await cluster.master(of: Int(ClusterSlot.of(list))))
            // The master accepts connections and never answers. Some commands wait for it in one attempt and the next,
            // and some are parked until it has a successor.
            victim.pause()
            let failures: [RedisError] = await onReactor(client.reactor) { done in
                nonisolated(unsafe) var open = 0
                nonisolated(unsafe) var failures: [RedisError] = []
                for (node, _) in client.router?.nodes.values ?? [:].values {
                    if case .tcp(_, let port)? = victim.tcpEndpoint?.location,
                        node.endpoint.location == .tcp(host: "127.0.0.1", port: port)
                    {
                        node.connection?.close("closed by the test")
                    }
                }
                @Sendable func step(_ number: Int) {
                    open += 1
                    client.send(RedisCommand("RPUSH", list, number), deadline: .seconds(60)) { result in
                        if case .failure(let error) = result { failures.append(error) }
                        open -= 1
                        if open == 0, number == 2_000 { done(failures) }
                    }
                    if number < 2_000 { client.reactor.schedule(after: .milliseconds(3)) { step(number + 1) } }
                }
                step(0)
            }
            #expect(failures == [])
            let numbers = try await client.value(RedisCommand("LRANGE", list, 0, -1)).array?.compactMap(\.int) ?? []
            #expect(numbers == (-1...2_000).map { Int64($0) })
            victim.resume()
        }
    }

    @Test func withoutAnyNodeCommandsFailFastAndWithTheNodesTheyAreServedAgain() async throws {
        try await withCluster { client, cluster in
            _ = try await client.value(RedisCommand("SET", "a", 1))
            for server in cluster.servers { cluster.kill(server) }
            #expect(
                await eventually {
                    _ = await client.call(RedisCommand("GET", "a"), deadline: .milliseconds(500))
                    if case .disconnected = client.connectionState { return true }
                    return false
                })
            guard
                case .failure(.unavailable(_, mayHaveBeenExecuted: false)) =
                    await client.call(RedisCommand("GET", "a"), deadline: .seconds(600))
            else {
                Issue.record("a cluster without nodes has another outcome")
                return
            }
            for server in cluster.servers { try await cluster.restart(server) }
            for third in 0..<3 {
                let command = RedisCommand("SET", key(inThird: third), 1)
                #expect(await eventually { await client.call(command) == .success(.status("OK")) })
            }
            #expect(client.connectionState == .connected)
        }
    }
}
