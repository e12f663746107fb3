import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Removals of users that are broken off")
struct BrokenOffRemovalTests {
    private static let gone = 3..<8

    /// Leaves an activity as a gateway does that is killed after it counted some of ten users out.
    private func brokenOff(_ stage: StoreStage) async throws -> ActivityRecord {
        try await stage.addDevices(0..<10)
        let activities = stage.store.activities
        let record = try await stage.register(0..<10)
        let key = Keys.rosterLock(record.activity.id)
        let lock = try #require(try await StoreLock.take(key, in: stage.redis, life: .seconds(30)))
        let leaving = try await activities.leaving(StoreStage.ids(Self.gone), record)
        #expect(try await activities.countOut(leaving, of: record.activity, lock))
        await lock.giveBack()
        return record
    }

    private func expectSegment(
        _ stage: StoreStage, _ record: ActivityRecord, _ users: [Int],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let id = record.activity.id
        let tokens = try await stage.startTokens(id).values.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(tokens == users.map { StoreStage.token($0) }, sourceLocation: location)
        let read = try await stage.read(id)
        #expect(read.users == users.count && read.devices == users.count, sourceLocation: location)
        #expect(try await stage.keys("*:leaving").isEmpty, sourceLocation: location)
    }

    private func membership(_ stage: StoreStage, _ user: Int, _ record: ActivityRecord) async throws -> Membership? {
        let found = try await stage.store.devices.user(StoreStage.key(user).insiderID, tenantID: stage.tenant)
        return found?.membership(in: record.activity.id)
    }

    @Test("Whoever is added again is in the segment, with a slot that a start comes to")
    func addedAgain() async throws {
        try await StoreStage.run { stage in
            let record = try await brokenOff(stage)
            let change = try await stage.store.activities.addUsers(StoreStage.ids(5..<10), to: record.activity.id)
            guard case .changed(let report) = change else {
                Issue.record("nothing has changed")
                return
            }
            #expect(report.users == 3 && report.devices == 3)
            try await expectSegment(stage, record, [0, 1, 2, 5, 6, 7, 8, 9])
        }
    }

    @Test("A start finishes it first, and then comes to those who are left")
    func started() async throws {
        try await StoreStage.run { stage in
            let record = try await brokenOff(stage)
            #expect(try await stage.begin(.start, record, expiration: 4_000_000_000) == nil)
            try await expectSegment(stage, record, [0, 1, 2, 8, 9])
            let fresh = try await stage.read(record.activity.id)
            let order = try #require(try await stage.begin(.start, fresh, expiration: 4_000_000_000))
            #expect(try await stage.store.broadcasts.broadcast(order.id)?.total == 5)
        }
    }

    @Test("A removal whose lock somebody else has by now changes nothing")
    func lockOfAnother() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<10)
            let activities = stage.store.activities
            let record = try await stage.register(0..<10)
            let key = Keys.rosterLock(record.activity.id)
            let lock = try #require(try await StoreLock.take(key, in: stage.redis, life: .seconds(30)))
            _ = try await stage.store.value(RedisCommand("SET", key, "another"))
            let leaving = try await activities.leaving(StoreStage.ids(Self.gone), record)
            #expect(lock.isHeld)
            #expect(try await !activities.countOut(leaving, of: record.activity, lock))
            _ = try await stage.store.value(RedisCommand("DEL", key))
            try await expectSegment(stage, record, Array(0..<10))
        }
    }

    @Test("A user who is erased meanwhile is counted out once, and named nowhere", arguments: [1, 2])
    func erased(times: Int) async throws {
        try await StoreStage.run { stage in
            let record = try await brokenOff(stage)
            let start = try await stage.store.erasures.begin(StoreStage.key(4).insiderID, tenantID: stage.tenant)
            let place = try #require(try await stage.store.erasures.places(start.erasure)?.first)
            var report = ErasureReport()
            // The second call repeats the first.
            for _ in 0..<times { try await stage.store.erasures.leave(place, start.erasure, &report) }
            let named = try await stage.store.value(RedisCommand("HKEYS", Keys.leaving(record.activity.id)))
            #expect(named.array?.count == Self.gone.count - 1)
            #expect(named.array?.contains { $0.string == StoreStage.key(4).insiderID } == false)
            try await stage.store.activities.finishRemoval(from: record.activity.id)
            try await expectSegment(stage, record, [0, 1, 2, 8, 9])
        }
    }

    @Test("A user of whose devices one is erased meanwhile is taken out all the same")
    func deviceErased() async throws {
        try await StoreStage.run { stage in
            let other = DeviceKey(insiderID: StoreStage.key(4).insiderID, udid: "another")
            try await stage.addDevices(0..<10)
            try await stage.store.devices.importDevices(
                [(other, StoreStage.device(), StoreStage.token(77))], tenantID: stage.tenant)
            let record = try await brokenOff(stage)
            #expect(try await membership(stage, 4, record)?.slots.count == 2)
            try await stage.removeDevice(other)
            #expect(try await membership(stage, 4, record)?.slots.count == 1)
            try await stage.store.activities.finishRemoval(from: record.activity.id)
            #expect(try await membership(stage, 4, record) == nil)
            try await expectSegment(stage, record, [0, 1, 2, 8, 9])
        }
    }
}
