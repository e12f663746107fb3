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
    /// Begins a start to a number of devices, and takes its job.
    func beginStart(
        _ count: Int, _ payload: Payload = .update(content: Content(), options: PresentationOptions())
    ) async throws -> BegunStart {
        try await addDevices(0..<count)
        let record = try await register(0..<count)
        let order = try #require(try await begin(.start, record, payload: payload, expiration: 4_000_000_000))
        return BegunStart(record: record, order: order, job: try #require(try await jobs(order).first))
    }

    /// The delivery statuses of its devices, by slot.
    func statuses(_ start: BegunStart) async throws -> [UInt8] {
        try await stored(.statuses, start.order.activity.id, 0)
    }

    func counts(_ start: BegunStart) async throws -> BroadcastCounts? {
        try await store.broadcasts.broadcast(start.order.id)?.counts
    }

    /// Ends a start whose pages are all finished.
    func end(_ start: BegunStart, owner: String) async throws {
        #expect(try await store.jobs.openPages(of: start.job, start.order, owner: owner).isEmpty)
        _ = try await store.jobs.complete(start.job, start.order, as: gateway)
    }
}

extension PageOutcome {
    /// An outcome of the first page, with its accepted devices. The page is finished when it is final.
    static func part(_ accepted: [UInt16] = [], isFinal: Bool = false) -> PageOutcome {
        var outcome = PageOutcome(page: 0)
        outcome.isFinal = isFinal
        outcome.accepted = accepted
        outcome.counts.accepted = accepted.count
        return outcome
    }
}
