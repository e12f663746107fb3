import Delivery
import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Pages of an update that a former hold may have sent in part")
struct PageDoubtTests {
    private func record(_ doubt: PageDoubt, _ stage: StoreStage, _ job: JobTicket, _ order: BroadcastOrder) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            stage.reactor.execute {
                stage.store.pages.record(doubt, of: job, order) { done.resume() }
            }
        }
    }

    @Test(
        "A hold that is lost leaves its usual pages in doubt, one that had more says so, and one that had none says so",
        arguments: [PushEvent.update, .end])
    func holds(kind: PushEvent) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let order = try #require(try await stage.begin(kind, record))
            let job = try #require(try await stage.jobs(order).first)
            func doubt(_ owner: String) async throws -> PageDoubt? {
                try await stage.store.jobs.open(job, order, owner: owner)?.doubt
            }
            #expect(try await doubt("1") == .nothing)
            #expect(try await doubt("2") == .usual)
            await self.record(.nothing, stage, job, order)
            #expect(try await doubt("3") == .nothing)
            // The record of the second hold does not apply to the third.
            #expect(try await doubt("4") == .usual)
            await self.record(.all, stage, job, order)
            #expect(try await doubt("5") == .all)
            #expect(try await doubt("6") == .all)
        }
    }

    @Test("A record of doubt expires, also when its broadcast is over")
    func expiry() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let order = try #require(try await stage.begin(.update, record))
            let job = try #require(try await stage.jobs(order).first)
            await self.record(.all, stage, job, order)
            let key = Keys.progress(order.activity.id, 0, order.id)
            let left = try await stage.store.value(RedisCommand("PTTL", key)).int
            #expect(try #require(left) > 0)
        }
    }

    @Test("A start has no page in doubt: it notes its devices")
    func start() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let order = try #require(try await stage.begin(.start, try await stage.register(0..<3)))
            let job = try #require(try await stage.jobs(order).first)
            for owner in ["1", "2"] {
                #expect(try await stage.store.jobs.open(job, order, owner: owner)?.doubt == .nothing)
            }
        }
    }
}
