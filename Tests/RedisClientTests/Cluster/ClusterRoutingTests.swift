import RedisServerProcess
import Testing
import TimeCore

@testable import RedisClient

@Suite(.timeLimit(.minutes(3)), .serialized) struct ClusterRoutingTests {
    @Test func commandsReachTheirSlotsAndRepliesComeInTheirOrder() async throws {
        try await withCluster { client, cluster in
            let writes = await client.pipeline((0..<600).map { RedisCommand("SET", "key-\($0)", $0) })
            #expect(writes.allSatisfy { $0 == .success(.status("OK")) })
            let reads = await client.pipeline((0..<600).map { RedisCommand("GET", "key-\($0)") })
            #expect(reads.map { (try? $0.get())?.int } == (0..<600).map { Int64($0) })
            // Each master has its share, and nobody had to send a command on.
            for server in cluster.servers[..<RedisCluster.masterCount] {
                let size = try await cluster.call(RedisCommand("DBSIZE"), on: server).get().int ?? 0
                #expect((100...300).contains(size), "\(size)")
            }
            #expect(client.clusterCounts.redirections == 0)
            #expect(client.connectionState == .connected)
            #expect(await onReactor(client.reactor) { done in done(client.keepsOrderAcrossKeys) } == false)
        }
    }
}
