import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The time from start to sync")
struct TimeToSyncTests {
    private func times(_ stage: StoreStage, _ record: ActivityRecord) async throws -> TimeToSync {
        let record = try await stage.read(record.activity.id)
        return try await stage.store.reader.timeToSync(in: record).values.reduce(into: TimeToSync()) { $0.add($1) }
    }

    @Test("The named times are bounds; what lies between is interpolated, what lies beyond counts as the last bound")
    func quantiles() {
        #expect(TimeToSync.named.allSatisfy { TimeToSync.bounds.contains($0 * 1_000) })
        #expect(TimeToSync.bounds == TimeToSync.bounds.sorted())
        #expect(TimeToSync().quantile(0.5) == nil && TimeToSync().count(within: 900) == 0)
        // Ten between 3 and 5 s, ten between 10 and 15 s.
        var counts = [Int](repeating: 0, count: TimeToSync.fields.count)
        (counts[5], counts[8]) = (10, 10)
        let times = TimeToSync(counts)
        #expect(times.count == 20 && times.count(within: 1) == 0 && times.count(within: 5) == 10)
        #expect(times.count(within: 30) == 20)
        #expect(times.quantile(0.25) == 4 && times.quantile(0.5) == 5 && times.quantile(0.75) == 12.5)
        #expect(times.quantile(1) == 15)
        counts[TimeToSync.bounds.count] = 80
        #expect(TimeToSync(counts).quantile(0.9) == 7_200)
    }

    @Test("The first sync of a device counts by the time since its page was started, later ones and rotations do not")
    func counted() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let id = record.activity.id
            #expect(try await times(stage, record).count == 0)
            _ = try await stage.sync(0, .id(id, type: nil))
            stage.advance(.seconds(4))
            // Device 1 reports its Live Activity now, and its token half a minute later.
            _ = try await stage.store.reports.sync(
                StoreStage.key(1), token: nil, reference: .id(id, type: nil), systemActivityID: nil,
                tenantID: stage.tenant)
            _ = try await stage.sync(2, .id(id, type: nil))
            stage.advance(.seconds(30))
            _ = try await stage.sync(1, .id(id, type: nil))
            for token in [[1], [2]] as [[UInt8]] {
                _ = try await stage.sync(0, .id(id, type: nil), token: token)
            }
            let read = try await times(stage, record)
            #expect(read.count == 3)
            #expect([1, 5, 30, 60].map { read.count(within: $0) } == [1, 2, 2, 3])
        }
    }

    @Test("Who reports before its start has its outcome has synced at once; activities that devices open count nothing")
    func early() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<1)
            _ = try #require(try await stage.begin(.start, record))
            stage.advance(.seconds(60))
            _ = try await stage.sync(0, .id(record.activity.id, type: nil))
            #expect(try await times(stage, record).count(within: 1) == 1)
            _ = try await stage.sync(1, .external("order", type: "T"))
            let user = try #require(
                try await stage.store.devices.user(StoreStage.key(1).insiderID, tenantID: stage.tenant))
            let own = try await stage.read(try #require(user.memberships.first).activity)
            #expect(try await times(stage, own).count == 0)
        }
    }

    @Test("Who was started again counts from then on")
    func startedAgain() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let id = record.activity.id
            stage.advance(.seconds(1_000))
            let counters = Keys.counters(id, 0)
            let note = StartNote(number: 2, preparedAt: stage.now, order: 1)
            _ = try await stage.store.values([
                RedisCommand("HSET", counters, "restart", "x"),
                RedisCommand("HSET", Keys.startCounts(id, 0), "0", note.text),
            ])
            stage.advance(.seconds(2))
            _ = try await stage.sync(0, .id(id, type: nil))
            let read = try await times(stage, record)
            #expect(read.count(within: 1) == 0 && read.count(within: 5) == 1)
        }
    }
}
