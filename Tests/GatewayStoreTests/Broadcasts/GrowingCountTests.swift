import Delivery
import LiveActivity
import Testing

@testable import GatewayStore

@Suite("Counts of a broadcast that ends while they are read")
struct GrowingCountTests {
    @Test("The count of accepted pushes never falls while a broadcast ends")
    func growing() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            for round in 0..<100 {
                let order = try #require(try await stage.begin(.update, stage.read(id)))
                let job = try #require(try await stage.jobs(order).first)
                guard case .due = try await stage.store.jobs.startJob(job) else { throw CancellationError() }
                _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
                var outcome = PageOutcome(page: 0)
                outcome.counts.accepted = 2
                try await stage.finish(outcome, order)
                #expect(try await stage.store.broadcasts.broadcast(order.id, in: id)?.counts.accepted == 2)
                let store = stage.store
                let read = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var read: [Int] = []
                            for _ in 0..<8 {
                                let record = try await store.broadcasts.broadcast(order.id, in: id)
                                read.append(record?.counts.accepted ?? -1)
                            }
                            return read
                        }
                    }
                    _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                    return try await group.reduce(into: [Int]()) { $0 += $1 }
                }
                #expect(read.allSatisfy { $0 == 2 }, "round \(round): \(read)")
            }
        }
    }
}
