import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reading activities")
struct ActivityStatusTests {
    private func status(_ stage: StoreStage, _ id: UniqueID) async throws -> ActivityStatus? {
        try await stage.store.reader.status(of: id)
    }

    @Test("An activity whose time is up is dead, and can be read for a day from its end")
    func expiry() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.register(0..<2, lasting: .seconds(3600)).activity.id
            let ended = try await stage.started(0..<2)
            _ = try await stage.begin(.end, ended)
            #expect(try await status(stage, ended.activity.id)?.endReason == .endedByAPI)
            stage.advance(.seconds(3599))
            #expect(try await status(stage, id)?.state == .registered)
            stage.advance(.seconds(1))
            let dead = try #require(try await status(stage, id))
            #expect(dead.state == .dead && dead.endReason == .expired && dead.endedAt == dead.record.activity.endsAt)
            stage.advance(.seconds(86_400 - 3600))
            // The activity that ended an hour earlier is deleted.
            #expect(try await status(stage, ended.activity.id) == nil)
            stage.advance(.seconds(3599))
            #expect(try await status(stage, id) != nil)
            let tenant = stage.tenant
            let listed = try await stage.store.reader.activities(of: tenant, limit: 10).activities.map(
                \.record.activity.id)
            #expect(listed == [id])
            stage.advance(.seconds(1))
            #expect(try await status(stage, id) == nil)
            #expect(try await stage.store.reader.activities(of: tenant, limit: 10).activities.isEmpty)
            // Unreadable activities have left the index.
            #expect(try await stage.keys("fanfare:{l:\(tenant):*").isEmpty)
        }
    }

    @Test("Updates count in the hour in which they begin, each once; one that was superseded before does not")
    func hours() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            var counted: [Int?] = []
            for isTaken in [true, false, true] {
                let order = try #require(try await stage.begin(.update, record))
                guard isTaken else { continue }
                let job = try #require(try await stage.jobs(order).first { $0.broadcastID == order.id })
                // A gateway that takes the job over asks again.
                for _ in 0..<2 { #expect(try await stage.store.jobs.isDue(job, order) == true) }
                _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                counted.append(try await stage.store.broadcasts.broadcast(order.id)?.updatesThisHour)
            }
            #expect(counted == [1, 2])
            #expect(try await status(stage, record.activity.id)?.updatesThisHour == 2)
            stage.advance(.seconds(3600))
            #expect(try await status(stage, record.activity.id)?.updatesThisHour == 0)
        }
    }

    @Test("Counts are those of the confirmed slots, over pages and partitions, and sum up to the segment")
    func counts() async throws {
        try await StoreStage.run { stage in
            let count = 868 * 2 + 100
            try await stage.addDevices(0..<count)
            let record = try await stage.register(0..<count)
            let id = record.activity.id
            _ = try await stage.store.activities.removeUsers(StoreStage.ids(5..<15), from: id)
            // A join that breaks off leaves slots that are filled and not confirmed.
            try await stage.putStatuses([1, 1, 1], from: 100, id, 2)
            let order = try #require(try await stage.begin(.start, try await stage.read(id)))
            for page in 0..<2 {
                var outcome = PageOutcome(page: page)
                outcome.accepted = (100..<868).map { UInt16($0) }
                outcome.failed = (50..<100).map { UInt16($0) }
                outcome.unknown = (20..<50).map { UInt16($0) }
                try await stage.finish(outcome, order)
            }
            for user in [200, 25, 868 + 300, 2000] { _ = try await stage.sync(user, .id(id, type: nil)) }
            let counts = try await stage.store.reader.summedStates(in: stage.read(id))
            #expect(counts.total == count - 10)
            #expect(
                counts[.failed] == 100 && counts[.unknown] == 59 && counts[.active] == 3 && counts[.pending] == 1534)
            #expect(counts[.registered] == 10 + 20 + 100 && counts[.ended] == 0)
        }
    }

    @Test("An entry of the index that no activity follows is passed over, and forgotten after an hour")
    func lostEntries() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let lost = Activity(
                id: .random(), tenantID: stage.tenant, type: "T", createdAt: stage.now,
                endsAt: stage.now + .seconds(600))
            try await stage.store.activities.addToIndex(lost)
            let id = try await stage.register(0..<1).activity.id
            let key = Keys.activityIndex(
                stage.tenant, hour: ActivityIndexEntry(createdAt: lost.createdAt, id: lost.id).hour)
            func look() async throws -> Int64? {
                let listed = try await stage.store.reader.activities(of: stage.tenant, limit: 10)
                #expect(listed.activities.map(\.record.activity.id) == [id] && listed.next == nil)
                return try await stage.store.value(RedisCommand("ZCARD", key)).int
            }
            stage.advance(.seconds(3500))
            #expect(try await look() == 2)
            stage.advance(.seconds(101))
            // Both are dead now, but one can still be read.
            #expect(try await look() == 1)
        }
    }

    @Test("Many activities made in the same millisecond and over hours are listed each once, whatever the limit")
    func manyActivities() async throws {
        try await StoreStage.run { stage in
            var expected: [UniqueID] = []
            for hour in 0..<4 {
                let entries = (0..<150).map { number in
                    ActivityIndexEntry(
                        createdAt: stage.now + .milliseconds(number / 100), id: UniqueID.random())
                }
                for entry in entries {
                    let activity = Activity(
                        id: entry.id, tenantID: stage.tenant, type: hour % 2 == 0 ? "A" : "B",
                        createdAt: entry.createdAt, endsAt: stage.now + .seconds(86_400))
                    try await stage.store.activities.addToIndex(activity)
                    _ = try await stage.store.value(
                        RedisCommand(
                            "HSET", Keys.activity(entry.id), "tenant", stage.tenant, "type", activity.type, "state",
                            "0",
                            "created_at", entry.createdAt.milliseconds, "ends_at", activity.endsAt.milliseconds))
                }
                expected += entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.id)
                stage.advance(.seconds(5000))
            }
            expected.reverse()
            for limit in [7, 150, 1000] {
                var listed: [UniqueID] = []
                var cursor: ActivityCursor?
                repeat {
                    let page = try await stage.store.reader.activities(of: stage.tenant, limit: limit, from: cursor)
                    #expect(page.activities.count <= limit)
                    listed += page.activities.map(\.record.activity.id)
                    cursor = try page.next.map { try #require(ActivityCursor($0.text)) }
                } while cursor != nil
                #expect(listed == expected, "limit \(limit)")
            }
            let ofType = try await stage.store.reader.activities(
                of: stage.tenant, ActivityFilter(type: "B"), limit: 1000)
            #expect(ofType.activities.count == 300 && ofType.next == nil)
        }
    }
}
