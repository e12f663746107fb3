import Reactor
import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

extension ClusterTests {
    @Test func aMasterThatDiesUnderLoadIsFollowedByItsReplica() async throws {
        try await withCluster { client, cluster in
            let victim = try #require(await cluster.master(of: Int(ClusterSlot.of(key(inThird: 0)))))
            _ = try await client.value(RedisCommand("SET", key(inThird: 0), 1).replicated(within: .seconds(2)))
            let isLoaded = Flag()
            let deadline = TimeInterval.seconds(15)
            struct Outcomes: Sendable {
                var succeeded = 0
                var inFlight = 0
                var others: [RedisError] = []
                var slowest = TimeInterval.milliseconds(0)
            }
            async let load: Outcomes = withTaskGroup(of: Outcomes.self) { group in
                for worker in 0..<12 {
                    group.addTask {
                        var outcomes = Outcomes()
                        while isLoaded.isSet {
                            let begin = MonotonicTime.now()
                            // Half of the keys are not on the master that dies. Without it, the other masters
                            // serve no key for a moment.
                            let commands = (0..<6).map {
                                RedisCommand("INCR", key(inThird: worker % 2 == 0 ? $0 % 3 : 1 + $0 % 2, 1 + worker))
                            }
                            for result in await client.pipeline(commands, deadline: deadline) {
                                switch result {
                                case .success: outcomes.succeeded += 1
                                case .failure(.unavailable(_, mayHaveBeenExecuted: true)): outcomes.inFlight += 1
                                case .failure(let error): outcomes.others.append(error)
                                }
                            }
                            outcomes.slowest = max(outcomes.slowest, MonotonicTime.now() - begin)
                        }
                        return outcomes
                    }
                }
                return await group.reduce(into: Outcomes()) { sum, part in
                    sum.succeeded += part.succeeded
                    sum.inFlight += part.inFlight
                    sum.others += part.others
                    sum.slowest = max(sum.slowest, part.slowest)
                }
            }
            defer { isLoaded.clear() }
            // The load is under way.
            #expect(
                await eventually { (try? await client.value(RedisCommand("GET", key(inThird: 0, 1))).int) ?? 0 > 20 })
            cluster.kill(victim)
            // Sent while there is no master: it waits for the new one.
            var waiting = await client.call(RedisCommand("GET", key(inThird: 0)), deadline: deadline)
            if case .failure(.unavailable(_, mayHaveBeenExecuted: true)) = waiting {
                // Its death was not known yet.
                waiting = await client.call(RedisCommand("GET", key(inThird: 0)), deadline: deadline)
            }
            #expect(waiting.map(\.int) == .success(1))
            #expect(
                await eventually {
                    let successor = await cluster.master(of: Int(ClusterSlot.of(key(inThird: 0))))
                    return successor != nil && successor !== victim
                })
            isLoaded.clear()
            let outcomes = await load
            #expect(outcomes.others == [], "\(outcomes.others.count)")
            #expect(outcomes.succeeded > 1000)
            #expect(outcomes.slowest < deadline)
            // A write with a replica's acknowledgement has survived.
            #expect(try await client.value(RedisCommand("GET", key(inThird: 0))).int == 1)
            let all = await client.pipeline((0..<300).map { RedisCommand("SET", "after-\($0)", $0) })
            #expect(all.allSatisfy { $0 == .success(.status("OK")) })

            // One that begins now finds the cluster although the first of its places is gone.
            let late = RedisClient(reactor: client.reactor, endpoint: cluster.endpoint)
            #expect(await eventually { await late.call(RedisCommand("GET", "after-7")).map(\.int) == .success(7) })
            await late.shutdown()

            try await cluster.restart(victim)
            #expect(await cluster.becomesWell())
            let again = await client.pipeline((0..<300).map { RedisCommand("GET", "after-\($0)") })
            #expect(again.map { (try? $0.get())?.int } == (0..<300).map { Int64($0) })
        }
    }

    @Test func aMasterThatFallsSilentIsLeftBeforeItsCommandsTimeOut() async throws {
        try await withCluster { client, cluster in
            _ = try await client.value(RedisCommand("SET", key(inThird: 0), 1).replicated(within: .seconds(2)))
            let victim = try #require(await cluster.master(of: Int(ClusterSlot.of(key(inThird: 0)))))
            let served = Flag()
            victim.pause()
            let begin = MonotonicTime.now()
            await withTaskGroup(of: Void.self) { group in
                // The first ones go to the silent node and wait there. A later one must find the new master.
                while served.isSet, MonotonicTime.now() - begin < .seconds(30) {
                    group.addTask {
                        let outcome = await client.call(RedisCommand("GET", key(inThird: 0)), deadline: .seconds(40))
                        if case .success = outcome { served.clear() }
                    }
                    try? await Task.sleep(for: .milliseconds(200))
                }
                #expect(!served.isSet)
                #expect(MonotonicTime.now() - begin < .seconds(30))
                victim.resume()
            }
            #expect(await cluster.becomesWell())
        }
    }

    @Test func aClientThatIsDroppedInAClusterGivesEveryCommandAnOutcome() async throws {
        try await withCluster { other, cluster in
            let failed: Bool = await withCheckedContinuation { continuation in
                var client: RedisClient? = RedisClient(reactor: other.reactor, endpoint: cluster.endpoint)
                other.reactor.execute { [client] in
                    client?.send(RedisCommand("GET", "a")) { _ in
                        // The topology is known. What follows cannot be answered.
                        for server in cluster.servers { server.pause() }
                        client?.send(RedisCommand("GET", "a")) { result in
                            if case .failure = result { continuation.resume(returning: true) }
                        }
                    }
                }
                client = nil
            }
            #expect(failed)
            for server in cluster.servers { server.resume() }
        }
    }

    @Test func aMasterThatHandsOverInGoodOrderCostsNoCommand() async throws {
        try await withCluster { client, cluster in
            let victim = try #require(await cluster.master(of: Int(ClusterSlot.of(key(inThird: 2)))))
            let replica = cluster.servers[RedisCluster.masterCount + 2]
            let isLoaded = Flag()
            async let failures: [RedisError] = {
                var failures: [RedisError] = []
                while isLoaded.isSet {
                    let commands = (0..<30).map { RedisCommand("INCR", key(inThird: $0 % 3, $0)) }
                    for case .failure(let error) in await client.pipeline(commands) { failures.append(error) }
                }
                return failures
            }()
            defer { isLoaded.clear() }
            _ = try await cluster.call(RedisCommand("CLUSTER", "FAILOVER"), on: replica).get()
            #expect(await eventually { await cluster.master(of: Int(ClusterSlot.of(key(inThird: 2)))) === replica })
            #expect(await cluster.becomesWell())
            isLoaded.clear()
            #expect(await failures == [])
            #expect(victim.isRunning)
        }
    }

    @Test func aReplicatedWriteIsAnsweredWhenAReplicaHasItAndAlsoWhenNoneIsThere() async throws {
        let script = RedisScript(name: "put", source: "return { redis.call('SET', KEYS[1], ARGV[1]), 'x' }")
        try await withCluster { client, cluster in
            let key = key(inThird: 0)
            let replica = cluster.servers[RedisCluster.masterCount]
            for number in 1...30 {
                let write = RedisCommand("SET", "{\(key)}:\(number)", number).replicated(within: .seconds(2))
                #expect(await client.call(write) == .success(.status("OK")))
                // Keys without their slots' tags would be elsewhere.
                let size = try await cluster.call(RedisCommand("DBSIZE"), on: replica).get().int ?? 0
                let count = ClusterSlot.of("{\(key)}:\(number)") == ClusterSlot.of(key) ? number : 0
                #expect(size >= Int64(count))
            }
            #expect(client.clusterCounts.replicated == 30)
            // A script that the node does not know is sent twice, and the replica is asked behind the second.
            let call = RedisCommand(script: script, keys: [key], arguments: [7]).replicated(within: .seconds(2))
            #expect(await client.call(call) == .success(.array([.status("OK"), .bytes([UInt8(ascii: "x")])])))
            #expect(client.clusterCounts.replicated == 31)

            replica.pause()
            // The connection is lost while one write waits for the replica and another one for the next wait.
            let master = cluster.servers[0]
            let lost = RedisCommand("SET", key, 6).replicated(within: .seconds(2))
            // A connection that has lasted for a second is opened again without a pause.
            try await Task.sleep(for: .milliseconds(1100))
            // Sent at once: behind a wait the second one would not be carried out.
            Task { await client.pipeline([lost, lost]) }
            let isWaiting = await eventually {
                let list = try? await cluster.call(RedisCommand("CLIENT", "LIST"), on: master).get().string
                return list?.contains("cmd=wait") == true
            }
            #expect(isWaiting)
            _ = await cluster.call(RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"), on: master)
            #expect(await eventually(within: 5) { client.clusterCounts.unreplicated == 2 })

            let begin = MonotonicTime.now()
            let alone = RedisCommand("SET", key, 8).replicated(within: .milliseconds(300))
            #expect(await client.call(alone) == .success(.status("OK")))
            #expect(MonotonicTime.now() - begin >= .milliseconds(300))
            #expect(client.clusterCounts.unreplicated == 3)
            // One wait after the other would exceed the deadline of the commands.
            let further = RedisCommand("SET", key, 9).replicated(within: .milliseconds(300))
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { #expect(await client.call(further) == .success(.status("OK"))) } }
            }
            replica.resume()
            #expect(client.clusterCounts.unreplicated == 103)

            // A write that is refused is refused as ever.
            let wrong = RedisCommand("LPUSH", key, 1).replicated(within: .seconds(2))
            guard case .failure(.rejected) = await client.call(wrong) else {
                Issue.record("a write of the wrong type succeeded")
                return
            }
            #expect(client.clusterCounts.replicated == 31)
        }
    }

    @Test func aSingleServerIsNotAskedForReplicas() async throws {
        try await withClient { client, _ in
            let write = RedisCommand("SET", "a", 1).replicated(within: .seconds(60))
            #expect(await client.call(write) == .success(.status("OK")))
            #expect(client.clusterCounts == RedisClusterCounts())
            #expect(await onReactor(client.reactor) { done in done(client.keepsOrderAcrossKeys) })
        }
    }
}
