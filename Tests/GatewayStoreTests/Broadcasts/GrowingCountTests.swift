import Delivery
import LiveActivity
import RedisClient
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Counts of a broadcast that grows while it is read")
struct GrowingCountTests {
    /// The counts of a record by name. None of them may fall.
    private func counts(_ record: BroadcastRecord) -> [String: Int] {
        var counts = ["total": record.total, "accepted": record.counts.accepted]
        for (reason, count) in record.counts.failed { counts[reason] = count }
        for (reason, count) in record.counts.skipped.occurring { counts[reason.name] = count }
        for (cohort, count) in record.counts.cohorts.told {
            counts["devices of \(cohort)"] = count.devices
            counts["accepted of \(cohort)"] = count.accepted
        }
        return counts
    }

    /// Reads a broadcast by each store and in each way in turn, until it has ended.
    private func read(_ order: BroadcastOrder, _ stores: [GatewayStore]) async throws -> [BroadcastRecord] {
        var records: [BroadcastRecord] = []
        repeat {
            for store in stores {
                let id = order.activity.id
                records.append(try #require(try await store.broadcasts.broadcast(order.id, in: id)))
                let activity = try #require(try await store.activities.activity(id))
                let recent = try await store.broadcasts.recentBroadcasts(of: activity)
                records.append(try #require(recent.first { $0.id == order.id }))
            }
        } while records.last?.state.isFinal != true
        return records
    }

    @Test("No count falls while a broadcast to several partitions ends, whichever gateway is asked")
    func growing() async throws {
        try await StoreStage.run { stage in
            var options = RedisClientOptions()
            options.scripts = GatewayStore.scripts
            let redis = RedisClient(reactor: stage.reactor, endpoint: stage.backend.endpoint, options: options)
            let stores = [stage.store, GatewayStore(redis: redis, wallClock: { stage.now })]
            try await stage.addDevices(0..<4)
            try await stage.moveToSandbox(2..<4)
            let id = try await stage.started(0..<4).activity.id
            for round in 0..<60 {
                let order = try #require(try await stage.begin(.update, stage.read(id)))
                let jobs = try await stage.jobs(order)
                let read = try await withThrowingTaskGroup(of: [BroadcastRecord].self) { group in
                    for _ in 0..<3 { group.addTask { try await self.read(order, stores) } }
                    for job in jobs {
                        guard case .due = try await stage.store.jobs.startJob(job) else { throw CancellationError() }
                        _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
                        for page in order.pages(of: job.part) {
                            var outcome = PageOutcome(page: page)
                            outcome.counts.accepted = 1
                            outcome.counts.failed["BadDeviceToken"] = 1
                            outcome.counts.skipped[.gdprDenied] = 3
                            try await stage.finish(outcome, order)
                        }
                        _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                    }
                    return try await group.reduce(into: [[BroadcastRecord]]()) { $0.append($1) }
                }
                for records in read {
                    let all = records.map(counts)
                    for (older, newer) in zip(all, all.dropFirst()) {
                        let fallen = older.filter { newer[$0.key] ?? 0 < $0.value }
                        #expect(fallen.isEmpty, "round \(round): \(fallen), then \(newer)")
                    }
                    let last = try #require(all.last)
                    #expect(last["accepted"] == 2 && last["BadDeviceToken"] == 2 && last["gdpr_denied"] == 6)
                }
            }
            await redis.shutdown()
        }
    }
}
