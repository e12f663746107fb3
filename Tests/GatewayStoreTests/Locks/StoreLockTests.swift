import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Locks in the store", .timeLimit(.minutes(2)))
struct StoreLockTests {
    private static let key = "fanfare:{lock}"

    private func remaining(_ stage: StoreStage, _ key: String) async throws -> Int64 {
        try await stage.store.value(RedisCommand("PTTL", key)).int ?? 0
    }

    /// A lock with a short life.
    private func take(_ stage: StoreStage, life: Int, period: Int) async throws -> StoreLock? {
        try await StoreLock.take(
            Self.key, in: stage.redis, life: .milliseconds(life), period: .milliseconds(period))
    }

    @Test("A lock outlives its lease while its holder lives, and is gone a lease after the holder is")
    func renewed() async throws {
        try await StoreStage.run { stage in
            let begin = MonotonicTime.now()
            var lock = try await take(stage, life: 1000, period: 50)
            let token = try #require(lock?.token)
            while MonotonicTime.now() < begin + .milliseconds(1500) {
                #expect(try await stage.store.value(RedisCommand("GET", Self.key)).string == token)
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(lock?.isHeld == true)
            #expect(try await take(stage, life: 1000, period: 50) == nil)
            lock = nil
            var next: StoreLock?
            while next == nil { next = try await take(stage, life: 1000, period: 50) }
            #expect(next?.token != token)
            await next?.giveBack()
            #expect(next?.isHeld == false)
            #expect(try await stage.keys("*").isEmpty)
        }
    }

    @Test("Who has lost a lock hears of it, gets it back by no renewal, and gives nobody else's back")
    func lost() async throws {
        try await StoreStage.run { stage in
            let lock = try #require(try await take(stage, life: 60_000, period: 10))
            _ = try await stage.store.value(RedisCommand("SET", Self.key, "another", "PX", 60_000))
            while lock.isHeld { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try await !lock.renew())
            await lock.giveBack()
            #expect(try await stage.store.value(RedisCommand("GET", Self.key)).string == "another")
        }
    }

    @Test("A store that is silent leaves nobody in the belief of having a lock for longer than its life")
    func silence() async throws {
        try await StoreStage.run { stage in
            let lock = try #require(try await take(stage, life: 200, period: 20))
            await stage.redis.shutdown()
            while lock.isHeld { try await Task.sleep(for: .milliseconds(5)) }
            await #expect(throws: StoreError.self) { try await lock.renew() }
        }
    }

    /// Waits until the lock is held, and returns the rest of its lease in milliseconds.
    private func held(_ stage: StoreStage, _ key: String) async throws -> Int64 {
        while true {
            let remaining = try await remaining(stage, key)
            if remaining > 0 { return remaining }
        }
    }

    @Test(
        "Others wait for thirty seconds behind a gateway that is killed while it changes a segment, five for a restart"
    )
    func lives() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2000)
            let activity = try await stage.register(0..<1).activity.id
            async let change = stage.store.activities.addUsers(StoreStage.ids(1..<2000), to: activity)
            let life = try await held(stage, Keys.rosterLock(activity))
            #expect(life > 5000 && life <= 30_000)
            guard case .changed = try await change else {
                Issue.record("nothing has changed")
                return
            }
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: activity, for: .random()))
            #expect(try await held(stage, Keys.restartLock(activity)) <= 5000)
            await stage.store.restarts.unlock(lock)
            #expect(try await stage.keys("*:restart").isEmpty)
        }
    }

    @Test(
        "A change of a segment whose lock went to another is refused, and what it set aside is not part of the segment")
    func fenced() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2000)
            let activity = try await stage.register(0..<1).activity.id
            async let change = stage.store.activities.addUsers(StoreStage.ids(1..<2000), to: activity)
            _ = try await held(stage, Keys.rosterLock(activity))
            _ = try await stage.store.value(RedisCommand("SET", Keys.rosterLock(activity), "another", "PX", 60_000))
            guard case .refused = try await change else {
                Issue.record("it was made all the same")
                return
            }
            #expect(try await stage.store.value(RedisCommand("GET", Keys.rosterLock(activity))).string == "another")
            #expect(try await stage.store.activities.activity(activity)?.devices == 1)
        }
    }

    /// A lock that was taken for half a minute.
    private func heldLock(_ stage: StoreStage, _ activity: UniqueID) async throws -> StoreLock {
        try #require(try await StoreLock.take(Keys.rosterLock(activity), in: stage.redis, life: .seconds(30)))
    }

    /// Reserves slots of an activity for users as they are now, and prepares to write their memberships.
    private func prepared(_ stage: StoreStage, _ users: Range<Int>, _ id: UniqueID) async throws -> RosterWriter {
        let record = try #require(try await stage.store.activities.activity(id))
        let ids = StoreStage.ids(users)
        let records = try await stage.store.devices.users(ids, tenantID: stage.tenant)
        var draft = RosterDraft(ids, records, type: record.activity.type, served: nil, joining: record)
        var bands = BandSizes()
        // Far from the slots that other changes take.
        bands[.apns] = 5000
        draft.place(&bands)
        return RosterWriter(activity: id, expiresAt: record.activity.keptUntil.milliseconds, draft: draft)
    }

    /// The memberships of users, as they are stored.
    private func memberships(_ stage: StoreStage, _ users: Range<Int>, _ id: UniqueID) async throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        for user in StoreStage.ids(users) {
            let key = Keys.user(stage.tenant, user)
            let field = UserRecord.membershipField(id)
            found.append(try await stage.store.value(RedisCommand("HGET", key, field)).bytes ?? [])
        }
        return found
    }

    @Test("A change that slept writes no membership over one that another has made since, and ends there")
    func sleeper() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<500)
            let activities = stage.store.activities
            let id = try await stage.register(0..<1).activity.id
            let record = try #require(try await activities.activity(id))
            let sleeper = try await prepared(stage, 1..<500, id)
            guard case .changed = try await activities.addUsers(StoreStage.ids(1..<300), to: id) else {
                Issue.record("the other one was refused")
                return
            }
            let confirmed = try await memberships(stage, 1..<300, id)
            let lock = try await heldLock(stage, id)
            #expect(try await !activities.join(sleeper, record.activity, now: stage.store.wallClock(), under: lock))
            #expect(try await memberships(stage, 1..<300, id) == confirmed)
            // The next batch was not begun.
            #expect(try await memberships(stage, 401..<500, id).allSatisfy(\.isEmpty))
            await lock.giveBack()
        }
    }

    @Test("A change whose lock is lost writes no membership any more")
    func lostLock() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<10)
            let activities = stage.store.activities
            let id = try await stage.register(0..<1).activity.id
            let record = try #require(try await activities.activity(id))
            let sleeper = try await prepared(stage, 1..<10, id)
            let lock = try await heldLock(stage, id)
            await lock.giveBack()
            #expect(try await !activities.join(sleeper, record.activity, now: stage.store.wallClock(), under: lock))
            #expect(try await memberships(stage, 1..<10, id).allSatisfy(\.isEmpty))
        }
    }

    @Test("Who was left with slots that nobody confirmed is counted when it is added again")
    func leftOver() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<10)
            let activities = stage.store.activities
            let id = try await stage.register(0..<1).activity.id
            let record = try #require(try await activities.activity(id))
            let killed = try await prepared(stage, 1..<10, id)
            #expect(try await activities.join(killed, record.activity, now: stage.store.wallClock()))
            guard case .changed = try await activities.addUsers(StoreStage.ids(1..<10), to: id) else {
                Issue.record("nothing has changed")
                return
            }
            let counted = try #require(try await activities.activity(id))
            #expect(counted.users == 10)
            #expect(counted.devices == 10)
        }
    }

    @Test("A removal that slept takes nobody out any more, and leaves the memberships that were made since")
    func sleepingRemover() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<10)
            let activities = stage.store.activities
            let id = try await stage.register(0..<10).activity.id
            let record = try #require(try await activities.activity(id))
            let early = try await activities.leaving(StoreStage.ids(1..<4), record)
            let late = try await activities.leaving(StoreStage.ids(4..<10), record)
            let lock = try await heldLock(stage, id)
            #expect(try await activities.countOut(early, of: record.activity, lock))
            // The removal stalls. Another change finishes it and adds some of its users again.
            await lock.giveBack()
            guard case .changed = try await activities.addUsers(StoreStage.ids(1..<3), to: id) else {
                Issue.record("nothing has changed")
                return
            }
            #expect(try await memberships(stage, 3..<4, id) == [[]])
            let now = try await memberships(stage, 0..<10, id)
            try await activities.delete(early, from: record.activity)
            #expect(try await !activities.countOut(late, of: record.activity, lock))
            #expect(try await memberships(stage, 0..<10, id) == now)
            let counted = try #require(try await activities.activity(id))
            #expect(counted.users == 9 && counted.devices == 9)
            #expect(try await stage.startTokens(id).count == 9)
        }
    }

    @Test("A removal that was killed is finished by its repetition, and counts everybody once")
    func killedRemover() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<500)
            let activities = stage.store.activities
            let id = try await stage.register(0..<500).activity.id
            let record = try #require(try await activities.activity(id))
            let lock = try await heldLock(stage, id)
            let leaving = try await activities.leaving(StoreStage.ids(1..<201), record)
            #expect(try await activities.countOut(leaving, of: record.activity, lock))
            await lock.giveBack()
            guard case .changed(let rest) = try await activities.removeUsers(StoreStage.ids(1..<450), from: id) else {
                Issue.record("nothing has changed")
                return
            }
            #expect(rest.users == 249 && rest.devices == 249)
            let counted = try #require(try await activities.activity(id))
            #expect(counted.users == 51 && counted.devices == 51)
            #expect(try await memberships(stage, 1..<450, id).allSatisfy(\.isEmpty))
            #expect(try await stage.startTokens(id).count == 51)
            #expect(try await stage.keys("*:leaving").isEmpty)
        }
    }
}
