import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

/// A slot that moves from one master to another, step by step.
struct SlotMove {
    let cluster: RedisCluster
    let slot: Int
    let source: RedisServerProcess
    let target: RedisServerProcess

    init(_ cluster: RedisCluster, key: String) async throws {
        self.cluster = cluster
        slot = Int(ClusterSlot.of(key))
        let source = try #require(await cluster.master(of: slot))
        self.source = source
        target = try #require(cluster.servers[..<RedisCluster.masterCount].first { $0 !== source })
    }

    private func identifier(_ server: RedisServerProcess) async throws -> String {
        try #require(try await cluster.call(RedisCommand("CLUSTER", "MYID"), on: server).get().string)
    }

    func begin() async throws {
        let (from, to) = (try await identifier(source), try await identifier(target))
        _ = try await cluster.call(RedisCommand("CLUSTER", "SETSLOT", slot, "IMPORTING", from), on: target).get()
        _ = try await cluster.call(RedisCommand("CLUSTER", "SETSLOT", slot, "MIGRATING", to), on: source).get()
    }

    func move(_ keys: [String]) async throws {
        guard case .tcp(let host, let port)? = target.tcpEndpoint?.location else { return }
        for key in keys {
            _ = try await cluster.call(RedisCommand("MIGRATE", host, Int(port), key, 0, 5000), on: source).get()
        }
    }

    func end() async throws {
        let to = try await identifier(target)
        for server in [target, source] + cluster.servers[..<RedisCluster.masterCount] {
            _ = try await cluster.call(RedisCommand("CLUSTER", "SETSLOT", slot, "NODE", to), on: server).get()
        }
    }
}

extension ClusterTests {
    @Test func commandsFollowASlotThatMoves() async throws {
        let script = RedisScript(name: "read", source: "return redis.call('GET', KEYS[1])")
        try await withCluster({ $0.scripts = [script] }) { client, cluster in
            let keys = (0..<4).map { "{moving}:\($0)" }
            for key in keys { _ = try await client.value(RedisCommand("SET", key, key)) }
            let move = try await SlotMove(cluster, key: keys[0])
            try await move.begin()
            try await move.move([keys[0]])

            // ASK: the key has moved, the slot has not.
            #expect(try await client.string(RedisCommand("GET", keys[0])) == keys[0])
            #expect(client.clusterCounts.redirections == 1)
            #expect(try await client.string(RedisCommand("GET", keys[1])) == keys[1])
            #expect(client.clusterCounts.redirections == 1)
            // The target creates new keys.
            _ = try await client.value(RedisCommand("SET", "{moving}:new", "new"))
            let there = await cluster.call(RedisCommand("CLUSTER", "COUNTKEYSINSLOT", move.slot), on: move.target)
            #expect(try there.get().int == 2)
            // Scripts follow the redirection, even if the target does not know them.
            let call = RedisCommand(script: script, keys: [keys[0]])
            #expect(try await client.string(call) == keys[0])
            _ = try await cluster.call(RedisCommand("SCRIPT", "FLUSH"), on: move.target).get()
            #expect(try await client.string(call) == keys[0])
            #expect(client.clusterCounts.redirections == 4)

            // TRYAGAIN: the keys are on different nodes. The client retries until both have moved.
            async let both = client.call(RedisCommand("MGET", keys[0], keys[1]))
            #expect(await eventually { client.clusterCounts.delays > 0 })
            try await move.move([keys[1]])
            #expect(await both.map { $0.array?.map(\.string) } == .success([keys[0], keys[1]]))

            // MOVED: the target owns the slot. The client may have refreshed the topology before.
            try await move.move(Array(keys[2...]))
            let before = client.clusterCounts
            try await move.end()
            #expect(try await client.string(RedisCommand("GET", keys[3])) == keys[3])
            let told = client.clusterCounts
            #expect(told.redirections == before.redirections + 1 || told.refreshes > before.refreshes)
            // The client remembers the new owner.
            for key in keys { #expect(try await client.string(RedisCommand("GET", key)) == key) }
            #expect(client.clusterCounts.redirections == told.redirections)
        }
    }

    @Test func nothingIsLostOrDoneTwiceWhileSlotsMoveUnderLoad() async throws {
        try await withCluster { client, cluster in
            let keys = (0..<40).map { "{moving}:\($0)" }
            let isMoving = Flag()
            async let done: [Int] = withTaskGroup(of: [Int].self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var counts = [Int](repeating: 0, count: keys.count)
                        var turn = worker
                        while isMoving.isSet {
                            turn += 1
                            let commands = (0..<20).map { RedisCommand("INCR", keys[(turn + $0) % keys.count]) }
                            let results = await client.pipeline(commands)
                            for (place, result) in results.enumerated() {
                                guard case .success = result else {
                                    Issue.record("\(result)")
                                    continue
                                }
                                counts[(turn + place) % keys.count] += 1
                            }
                        }
                        return counts
                    }
                }
                return await group.reduce(into: [Int](repeating: 0, count: keys.count)) { sum, counts in
                    for (place, count) in counts.enumerated() { sum[place] += count }
                }
            }
            defer { isMoving.clear() }
            for _ in 0..<3 {
                let move = try await SlotMove(cluster, key: keys[0])
                try await move.begin()
                try await move.move(keys)
                try await move.end()
            }
            isMoving.clear()
            let expected = await done
            let values = try await client.value(RedisCommand("MGET", arguments: keys)).array?.map { Int($0.int ?? 0) }
            #expect(values == expected)
            #expect(client.clusterCounts.redirections > 0)
        }
    }
}
