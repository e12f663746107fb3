import Delivery
import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

@Suite("The cost of a broadcast beside many others")
struct TurnCostTests {
    /// The number of calls of each command that the server carries out meanwhile, those within scripts included.
    private func commands(
        _ stage: StoreStage, _ body: @Sendable () async throws -> Void
    ) async throws -> [String: Int] {
        _ = try await stage.store.value(RedisCommand("CONFIG", "RESETSTAT"))
        try await body()
        let info = try await stage.store.value(RedisCommand("INFO", "commandstats")).string ?? ""
        let calls = info.matches(of: #/cmdstat_(\S+?):calls=(\d+)/#).map { match in
            (String(match.output.1), Int(match.output.2) ?? 0)
        }
        return Dictionary(uniqueKeysWithValues: calls.filter { !["config|resetstat", "info"].contains($0.0) })
    }

    /// The commands of each step of an update to one device, beside a number of unfinished lists.
    private func costs(beside count: Int) async throws -> [String: [String: Int]] {
        var costs: [String: [String: Int]] = [:]
        try await StoreStage.run(onCluster: false) { stage in
            let record = try await stage.started(partitions: 1)
            // Otherwise the counts of the tenant's devices would be written a second later, during a step.
            await stage.store.usage.flush()
            for slot in 0..<count { _ = try await stage.begin(.update, record, .slots([UInt32(slot + 10)])) }
            let id = record.activity.id.randomBroadcast()
            costs["update"] = try await commands(stage) {
                _ = try await stage.begin(.update, record, .slots([5, 6]), id: id)
            }
            costs["end"] = try await commands(stage) { _ = try await stage.begin(.end, record, .slots([8])) }
            let order = try #require(try await stage.store.broadcasts.order(id, of: stage.read(record.activity.id)))
            let all = JobCapacity(small: count + 9, first: 0, updates: 0)
            let jobs = try await stage.jobs(order, all)
            let job = try #require(jobs.first { $0.broadcastID == order.id })
            costs["turn"] = try await commands(stage) {
                let isDue = try await stage.store.jobs.isDue(job, order)
                #expect(isDue == true)
            }
            costs["completion"] = try await commands(stage) {
                let ended = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                #expect(ended?.state == .done)
            }
            let whole = try #require(try await stage.begin(.update, record))
            let last = try #require(try await stage.jobs(order, all).first { $0.broadcastID == whole.id })
            // The first poll for the whole segment's job skips the lists that it has superseded.
            #expect(try await stage.store.jobs.isDue(last, whole) == false)
            costs["next whole"] = try await commands(stage) { _ = try await stage.begin(.update, record) }
        }
        return costs
    }

    @Test("An update to one device takes as many commands beside a thousand unfinished lists as beside ten")
    func independent() async throws {
        let few = try await costs(beside: 10)
        let many = try await costs(beside: 1000)
        #expect(few == many)
        #expect(few.count == 5)
    }
}
