import LiveActivity
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Late syncs in a cluster")
struct ClusterOrderTests {
    @Test("A sync whose write is carried out after the end is given the end")
    func writeBehindEnd() async throws {
        try await StoreStage.run(onCluster: true) { stage in
            guard case .cluster(let cluster) = stage.backend else { return }
            func master(_ key: String) async throws -> RedisServerProcess {
                let slot = try #require(try await stage.store.value(RedisCommand("CLUSTER", "KEYSLOT", key)).int)
                return try #require(await cluster.master(of: Int(slot)))
            }
            // Finds an activity and a user whose hashes are on other nodes than the cells of the roster.
            try await stage.addDevices(0..<20)
            var found: (record: ActivityRecord, user: Int, node: RedisServerProcess)?
            for _ in 0..<50 where found == nil {
                let record = try await stage.started(0..<20)
                let id = record.activity.id
                let node = try await master(Keys.updatePage(id, 0))
                guard try await master(Keys.activity(id)) !== node else { continue }
                for user in 0..<20 where found == nil {
                    let key = Keys.user(stage.tenant, StoreStage.key(user).insiderID)
                    if try await master(key) !== node { found = (record, user, node) }
                }
            }
            let (record, user, node) = try #require(found)
            func hashReads() async throws -> Int {
                var reads = 0
                for server in cluster.servers where server !== node {
                    let info = try await cluster.call(RedisCommand("INFO", "commandstats"), on: server).get().string
                    for line in (info ?? "").split(whereSeparator: \.isNewline) {
                        guard line.hasPrefix("cmdstat_hget:calls=") else { continue }
                        reads += line.dropFirst(19).split(separator: ",").first.flatMap { Int($0) } ?? 0
                    }
                }
                return reads
            }
            node.pause()
            let before = try await hashReads()
            async let outcome = stage.sync(user, .id(record.activity.id, type: nil))
            // Waits far longer than the reads would take if they were not held back until the write is answered.
            for _ in 0..<20 {
                _ = try await stage.store.value(RedisCommand("EXISTS", Keys.activity(record.activity.id)))
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await hashReads() == before)
            // Writes the part of an end that is on this node, because its other keys may be on the paused one.
            let end = RedisCommand(
                "HSET", Keys.activity(record.activity.id), "state", "2", "end_broadcast", UniqueID.random().description)
            _ = try await stage.store.value(end)
            node.resume()
            #expect(try await outcome.word == "late end")
        }
    }
}
