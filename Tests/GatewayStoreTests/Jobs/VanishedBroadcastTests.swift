import Delivery
import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Broadcasts that vanish")
struct VanishedBroadcastTests {
    private func unfinished(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> Int {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute {
                stage.store.jobs.takeJobs(
                    shard: StoredJobs.shard(of: order.activity.id), as: .random(),
                    JobCapacity(small: 0, first: 0, updates: 0), silence: .seconds(60)
                ) { continuation.resume(returning: $0.map(\.unfinished)) }
            }
        }.get()
    }

    private func drop(_ key: String, _ stage: StoreStage) async throws {
        let count = try await stage.redis.value(RedisCommand("DEL", key)).int
        try #require(count == 1)
    }

    @Test("A broadcast counts as unfinished until it is finished, once, however often that is tried")
    func counted() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            let order = try #require(try await stage.begin(.start, record))
            var count = try await unfinished(stage, order)
            #expect(count == 1)
            let job = try #require(try await stage.jobs(order).first)
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            for _ in 0..<2 { _ = try await stage.store.jobs.complete(job, order, as: stage.gateway) }
            count = try await unfinished(stage, order)
            #expect(count == 0)
            let vanished = try await stage.store.jobs.forgetVanished()
            #expect(vanished.isEmpty)
        }
    }

    @Test(
        "When the record or the activity is evicted the job that finds out takes it off the count, once",
        arguments: [true, false])
    func evicted(isRecord: Bool) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let lost = try #require(try await stage.begin(.update, record))
            try await drop(
                isRecord ? Keys.broadcast(record.activity.id, lost.id) : Keys.activity(record.activity.id), stage)
            let job = try #require(try await stage.jobs(lost).first)
            guard case .pointless = try await stage.store.jobs.startJob(job) else {
                Issue.record("the job has a point")
                return
            }
            let first = try await stage.store.jobs.discard(job, as: stage.gateway)
            let second = try await stage.store.jobs.discard(job, as: stage.gateway)
            #expect(first && !second)
            let count = try await unfinished(stage, lost)
            #expect(count == 0 && stage.store.jobs.vanishedBroadcasts == 1)
        }
    }

    @Test("When the job is gone as well, whoever looks finds what is missing, and nothing that is there")
    func jobGone() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let lost = try #require(try await stage.begin(.update, record))
            let kept = try #require(try await stage.begin(.update, try await stage.read(record.activity.id)))
            try await drop(Keys.broadcast(record.activity.id, lost.id), stage)
            try await drop(Keys.jobs(StoredJobs.shard(of: record.activity.id), .small), stage)
            let vanished = try await stage.store.jobs.forgetVanished()
            #expect(vanished.map(\.id) == [lost.id])
            let open = try await stage.redis.value(RedisCommand("HVALS", Keys.openBroadcasts(record.activity.id)))
            #expect(open.array?.count == 1 && open.array?.first?.string?.hasPrefix("\(kept.id):") == true)
            let count = try await unfinished(stage, kept)
            #expect(count == 1)
        }
    }

    @Test("A later update does not wait for one that has vanished, nor does it bring its record back")
    func order() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let lost = try #require(try await stage.begin(.update, record, .slots([0])))
            let waiting = try #require(
                try await stage.begin(.update, try await stage.read(record.activity.id), .slots([0, 1])))
            try await drop(Keys.broadcast(record.activity.id, lost.id), stage)
            let job = try #require(try await stage.jobs(waiting).first { $0.broadcastID == waiting.id })
            let isDue = try await stage.store.jobs.isDue(job, waiting)
            #expect(isDue == true)
            _ = try await stage.begin(.update, try await stage.read(record.activity.id))
            let exists = try await stage.redis.value(
                RedisCommand("EXISTS", Keys.broadcast(record.activity.id, lost.id)))
            #expect(exists.int == 0)
        }
    }
}
