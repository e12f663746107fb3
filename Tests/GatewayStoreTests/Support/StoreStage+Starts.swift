import Delivery
import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

/// A start of a whole segment of one page, and the job that carries it out.
struct BegunStart {
    let record: ActivityRecord
    let order: BroadcastOrder
    let job: JobTicket
}

extension StoreStage {
    /// Begins a start to so many devices, and takes its job.
    func beginStart(_ count: Int) async throws -> BegunStart {
        try await addDevices(0..<count)
        let record = try await register(0..<count)
        let order = try #require(try await begin(.start, record, expiration: 4_000_000_000))
        return BegunStart(record: record, order: order, job: try #require(try await jobs(order).first))
    }

    /// The delivery statuses of its devices, by slot.
    func statuses(_ start: BegunStart) async throws -> [UInt8] {
        try await stored(.statuses, start.order.activity.id, 0)
    }

    func counts(_ start: BegunStart) async throws -> BroadcastCounts? {
        try await store.broadcasts.broadcast(start.order.id)?.counts
    }

    /// As whoever has finished all its pages.
    func end(_ start: BegunStart, owner: String) async throws {
        #expect(try await store.jobs.openPages(of: start.job, start.order, owner: owner).isEmpty)
        _ = try await store.jobs.complete(start.job, start.order, as: gateway)
    }
}

extension PageOutcome {
    /// Of the first page: these devices were accepted; the page is finished when it is final.
    static func part(_ accepted: [UInt16] = [], isFinal: Bool = false) -> PageOutcome {
        var outcome = PageOutcome(page: 0)
        outcome.isFinal = isFinal
        outcome.accepted = accepted
        outcome.counts.accepted = accepted.count
        return outcome
    }
}
