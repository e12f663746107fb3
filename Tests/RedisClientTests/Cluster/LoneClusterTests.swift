import RedisServerProcess
import TestStore
import Testing
import TimeCore

@testable import RedisClient

@Suite("Clusters that are lent to one test after the other")
struct LoneClusterTests {
    @Test("One that comes back as it was given out is given out again, empty; one that was changed is not")
    func lending() async throws {
        // No other test uses this timeout.
        let nodeTimeout = TimeInterval.milliseconds(2_345)
        let first = try await LoneCluster.lender.lend(nodeTimeout: nodeTimeout)
        var written = 0
        for server in first.servers {
            let reply = await first.call(RedisCommand("SET", "k", "v"), on: server)
            if (try? reply.get())?.string == "OK" { written += 1 }
        }
        #expect(written == 1)
        #expect(await LoneCluster.lender.giveBack(first) == true)
        #expect(await LoneCluster.lender.giveBack(first) == false, "it was not lent")

        let second = try await LoneCluster.lender.lend(nodeTimeout: nodeTimeout)
        #expect(second === first)
        for server in second.servers[..<RedisCluster.masterCount] {
            #expect(try await second.call(RedisCommand("DBSIZE"), on: server).get().int == 0)
        }
        let set = await second.call(
            RedisCommand("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"), on: second.servers[0])
        #expect(try set.get().string == "OK")
        #expect(await LoneCluster.lender.giveBack(second) == true)

        let third = try await LoneCluster.lender.lend(nodeTimeout: nodeTimeout)
        #expect(third !== second)
        #expect(second.servers.allSatisfy { !$0.isRunning })
        #expect(await LoneCluster.lender.giveBack(third) == true)
    }
}
