import Delivery
import LiveActivity
import Reactor
import RedisClient
import TestStore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Removing a device")
struct DeviceRemovalTests {
    private static let key = DeviceKey(insiderID: "anna/ä:1", udid: "phone-of-anna")
    private static let other = DeviceKey(insiderID: "anna/ä:1", udid: "phone-of-anna-2")
    private static let token = [UInt8](repeating: 0xA1, count: 32)
    private static let updateToken = [UInt8](repeating: 0xB1, count: 32)

    private func traces(_ stage: StoreStage, _ texts: [[UInt8]]) async throws -> [String] {
        try await stage.backend.traces(of: texts, by: stage.redis)
    }

    private func look(_ stage: StoreStage, _ erasure: Erasure) async throws {
        try await stage.store.erasures.look(erasure)
        try await stage.store.erasures.close(erasure)
        // The mark outlives all reports under way.
        _ = try await stage.redis.value(RedisCommand("DEL", Keys.erased(stage.tenant, erasure.insiderID)))
    }

    @Test("A device goes with its tokens, its places and its names; the user's other device stays")
    func oneOfTwo() async throws {
        try await StoreStage.run { stage in
            let (devices, tenant) = (stage.store.devices, stage.tenant)
            let otherToken = [UInt8](repeating: 0xA2, count: 32)
            try await devices.importDevices(
                [(Self.key, StoreStage.device(), Self.token), (Self.other, StoreStage.device(), otherToken)],
                tenantID: tenant)
            try await stage.addDevices(0..<3)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(900))
            let ids = StoreStage.ids(0..<2) + [Self.key.insiderID, StoreStage.key(2).insiderID]
            let report = try await stage.store.activities.register(registration, insiderIDs: ids, tenantID: tenant)
            let running = try #require(report.activityID)
            let waiting = try #require(
                try await stage.store.activities.register(registration, insiderIDs: ids, tenantID: tenant).activityID)
            _ = try await stage.begin(.start, stage.read(running))
            _ = try await stage.store.reports.sync(
                Self.key, token: Self.updateToken, reference: .id(running, type: nil), systemActivityID: "CARD-1",
                tenantID: tenant)
            let udid = Array(Self.key.udid.utf8)
            #expect(try await traces(stage, [Self.token, Self.updateToken, udid]).count >= 4)

            let start = try await stage.removeDevice(Self.key)
            #expect(start.devices == 1 && start.users == 0)
            #expect(try await traces(stage, [Self.token, Self.updateToken, udid + [0]]).isEmpty)
            try await look(stage, start.erasure)
            // The other one's name begins alike.
            let user = try #require(try await devices.user(Self.key.insiderID, tenantID: tenant))
            #expect(user.devices.map(\.udid) == [Self.other.udid])
            #expect(user.pushToStartToken(udid: Self.other.udid, type: "X")?.token.elementsEqual(otherToken) == true)
            for id in [running, waiting] {
                let record = try await stage.read(id)
                #expect(record.devices == 4 && record.users == 4)
                #expect(try await devices.devices(of: Self.key.insiderID, in: id, tenantID: tenant) == [Self.other])
            }
            #expect(try await stage.startTokens(waiting).values.contains(otherToken))
            // Again: there is nothing to do, and nothing is left over.
            #expect(try await stage.removeDevice(Self.key).devices == 0)
            #expect(try await stage.keys("*:x:*").isEmpty)
        }
    }

    @Test("The user goes with the last device, and no trace of either is left")
    func lastOne() async throws {
        try await StoreStage.run { stage in
            try await stage.store.devices.importDevices(
                [(Self.key, StoreStage.device(), Self.token)], tenantID: stage.tenant)
            try await stage.addDevices(0..<2)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(900))
            let ids = [StoreStage.key(0).insiderID, Self.key.insiderID, StoreStage.key(1).insiderID]
            let report = try await stage.store.activities.register(
                registration, insiderIDs: ids, tenantID: stage.tenant)
            let id = try #require(report.activityID)
            let start = try await stage.removeDevice(Self.key)
            #expect(start.devices == 1 && start.users == 1)
            let insiderID = Array(Self.key.insiderID.utf8)
            // Until the closing look its own records name the user, and none of the tokens.
            for key in try await traces(stage, [insiderID]) {
                #expect(key.contains("}:x") || key.hasSuffix(":due"), "\(key)")
            }
            try await look(stage, start.erasure)
            #expect(try await traces(stage, [insiderID, Array(Self.key.udid.utf8), Self.token]).isEmpty)
            // The others are who they were.
            let listing = try await stage.store.reader.devices(of: try await stage.read(id), limit: 10)
            #expect(listing.devices.map(\.key) == [StoreStage.key(0), StoreStage.key(1)])
        }
    }

    @Test("The erasure of an unknown user's device writes nothing, whatever its name")
    func unknown() async throws {
        try await StoreStage.run { stage in
            let noted = Keys.erased(stage.tenant, Self.key.insiderID)
            let start = try await stage.store.erasures.begin(Self.key, tenantID: stage.tenant)
            #expect(start.devices == 0 && start.users == 0)
            #expect(try await stage.redis.value(RedisCommand("EXISTS", noted)).int == 0)
        }
    }

    @Test("An earlier report does not bring a device back; a later one makes a new device")
    func lateReports() async throws {
        try await StoreStage.run { stage in
            let devices = stage.store.devices
            try await devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: stage.tenant)
            let before = stage.now
            stage.advance(.seconds(1))
            try await stage.removeDevice(Self.key)
            try await devices.putDevice(
                StoreStage.device(), Self.key, tenantID: stage.tenant, receivedAt: before)
            try await devices.putPushToStartToken(
                Self.token, Self.key, tenantID: stage.tenant, type: nil, receivedAt: before)
            #expect(try await devices.user(Self.key.insiderID, tenantID: stage.tenant) == nil)
            #expect(try await traces(stage, [Self.token]).isEmpty)
            #expect(try await stage.keys("fanfare:{o:*").isEmpty)

            stage.advance(.seconds(1))
            try await devices.putPushToStartToken(Self.token, Self.key, tenantID: stage.tenant, type: nil)
            try await devices.putDevice(StoreStage.device(), Self.key, tenantID: stage.tenant)
            let user = try #require(try await devices.user(Self.key.insiderID, tenantID: stage.tenant))
            #expect(user.pushToStartToken(udid: Self.key.udid, type: "X") != nil && user.memberships.isEmpty)
        }
    }

    @Test("A token claimed after the erasure began is free after the closing look, unless it was reported later")
    func lateClaims() async throws {
        try await StoreStage.run { stage in
            let devices = stage.store.devices
            let claim = [(index: TokenIndex(Self.token, tenantID: stage.tenant), owner: TokenOwner(Self.key))]
            for isLater in [false, true] {
                try await devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: stage.tenant)
                let before = stage.now
                stage.advance(.seconds(1))
                let start = try await stage.removeDevice(Self.key)
                #expect(try await stage.keys("fanfare:{o:*").isEmpty)
                if isLater { stage.advance(.seconds(1)) }
                _ = try await devices.importing(stage.tenant).claim(claim, reportedAt: isLater ? stage.now : before)
                #expect(try await stage.keys("fanfare:{o:*").count == 1)
                try await look(stage, start.erasure)
                #expect(try await stage.keys("fanfare:{o:*").count == (isLater ? 1 : 0))
                stage.advance(.seconds(1))
            }
        }
    }

    @Test("The closing look takes nothing from a user who has come back")
    func cameBack() async throws {
        try await StoreStage.run { stage in
            let (store, tenant, user) = (stage.store, stage.tenant, Self.key.insiderID)
            let waiting = Keys.waiting(tenant, user)
            func wait() async throws -> Bool {
                _ = try await stage.redis.value(RedisCommand("SADD", waiting, "match"))
                let start = try await store.erasures.begin(user, tenantID: tenant)
                #expect(try await stage.keys(waiting).isEmpty)
                try await stage.goOn(with: start.erasure)
                _ = try await stage.redis.value(RedisCommand("SADD", waiting, "match"))
                stage.advance(.seconds(1))
                if start.users == 1 {
                    try await store.devices.putDevice(StoreStage.device(), Self.key, tenantID: tenant)
                }
                try await look(stage, start.erasure)
                return try await stage.keys(waiting).count == 1
            }
            // A late write is removed if the user has not come back.
            #expect(try await wait() == false)
            try await store.devices.putDevice(StoreStage.device(), Self.key, tenantID: tenant)
            #expect(try await wait())
        }
    }

    @Test("A user who is erased while a segment is registered gets no place on any device")
    func whileRegistering() async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            let second = DeviceKey(insiderID: Self.key.insiderID, udid: "second")
            let secondToken = [UInt8](repeating: 0xA2, count: 32)
            try await store.devices.importDevices(
                [(Self.key, StoreStage.device(), Self.token), (second, StoreStage.device(), secondToken)],
                tenantID: tenant)
            try await stage.addDevices(0..<2)
            let ids = [StoreStage.key(0).insiderID, Self.key.insiderID, StoreStage.key(1).insiderID]
            let records = try await store.devices.users(ids, tenantID: tenant)
            // Between the reading and the joining.
            let start = try await store.erasures.begin(Self.key.insiderID, tenantID: tenant)
            var report = ErasureReport()
            try await store.erasures.forgetRest(start.erasure, &report)
            #expect(report.tokens == 2)
            try await store.erasures.conclude(start.erasure)
            try await look(stage, start.erasure)

            var draft = RosterDraft(ids, records, type: StoreStage.type, served: nil)
            var bands = BandSizes()
            draft.place(&bands)
            let activity = Activity(
                id: .random(), tenantID: tenant, type: StoreStage.type, createdAt: stage.now,
                endsAt: stage.now + .seconds(900))
            let writer = RosterWriter(
                activity: activity.id, expiresAt: activity.keptUntil.milliseconds, draft: draft)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: activity.endsAt)
            let prepared = store.activities.prepared(activity, registration)
            for command in prepared + writer.freshPages() { _ = try await stage.redis.value(command) }
            try await store.activities.join(writer, activity, now: stage.now)
            try await store.activities.publish(activity, &draft.report, registration, bands)
            #expect(try await traces(stage, [Array(Self.key.insiderID.utf8), Self.token, secondToken]).isEmpty)
            #expect(try await stage.startTokens(activity.id).count == 2)
        }
    }

    private func limits(devicesPerUser: Int) -> TenantLimits {
        var limits = TenantLimits.standard
        limits.set(.devicesPerUser, devicesPerUser)
        return limits
    }

    @Test("Replacing a user's only device removes its place and token, and keeps the user and topics")
    func makingWay() async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            let begun = Locked<[Erasure]>([])
            try await store.devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: tenant)
            _ = try await stage.redis.value(
                RedisCommand("HSET", Keys.follows(tenant, Self.key.insiderID), "match", "1"))
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(900))
            let id = try #require(
                try await store.activities.register(
                    registration, insiderIDs: [Self.key.insiderID], tenantID: tenant
                ).activityID)
            store.erasures.onBeginning { erasure in begun.withLock { $0.append(erasure) } }
            try await store.devices.putDevice(
                StoreStage.device(), Self.other, tenantID: tenant, limits: limits(devicesPerUser: 1))
            let user = try #require(try await store.devices.user(Self.key.insiderID, tenantID: tenant))
            #expect(user.devices.map(\.udid) == [Self.other.udid] && user.memberships.isEmpty)
            #expect(try await stage.keys("*:y").count == 1)
            let erasure = try #require(begun.withLock { $0 }.first)
            #expect(begun.withLock { $0.count } == 1)
            // The due queue has the erasure, because the gateway that began it may die.
            let due = try await stage.redis.value(RedisCommand("ZRANGE", Keys.due(erasure.shard), 0, -1))
            // The activity may be due in the same shard.
            let others = (due.array ?? []).compactMap(\.string).filter { $0 != DueItem.activity(id).description }
            #expect(others == [erasure.description])
            try await stage.goOn(with: erasure)
            #expect(try await traces(stage, [Self.token, Array(Self.key.udid.utf8) + [0]]).isEmpty)
            #expect(try await stage.read(id).devices == 0)
            await store.usage.flush()
            let counts = try await store.usage.counts(tenant, .standard)
            #expect(counts.users == 1 && counts.devices == 1)
        }
    }

    @Test("Of concurrent replacements one removes the device; a device that came back stays")
    func comeBack() async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            try await store.devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: tenant)
            let queue = ErasureQueue(store.context, usage: store.usage)
            let number = try #require(
                try await store.devices.user(Self.key.insiderID, tenantID: tenant)?.device(Self.key.udid)?.number)
            let starts = try await withThrowingTaskGroup(of: ErasureStart.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await queue.begin(Self.key, number: number, tenantID: tenant) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(starts.map(\.devices).sorted() == [0, 0, 0, 1] && starts.allSatisfy { $0.users == 0 })
            #expect(try await stage.keys("*:x:*").count { !$0.hasSuffix(":x:open") } == 1)
            stage.advance(.seconds(1))
            try await store.devices.putDevice(StoreStage.device(), Self.key, tenantID: tenant)
            #expect(try await queue.begin(Self.key, number: number, tenantID: tenant).devices == 0)
            #expect(try await store.devices.user(Self.key.insiderID, tenantID: tenant)?.devices.count == 1)
            // Nothing is left of those that found nothing to do.
            let winner = try #require(starts.first { $0.devices == 1 }).erasure
            let due = try await stage.redis.value(RedisCommand("ZRANGE", Keys.due(winner.shard), 0, -1))
            #expect((due.array ?? []).compactMap(\.string) == [winner.description])
        }
    }

    @Test("Of devices added and removed repeatedly, only those of the last seconds are remembered")
    func allTheTime() async throws {
        try await StoreStage.run { stage in
            let erased = Keys.erased(stage.tenant, Self.key.insiderID)
            for number in 0..<(4 * ScriptLimits.erasedOfUser) {
                let key = DeviceKey(insiderID: Self.key.insiderID, udid: "\(number)")
                try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant)
                try await stage.removeDevice(key)
                stage.advance(.seconds(1))
            }
            let known = try await stage.redis.value(RedisCommand("HLEN", erased)).int ?? 0
            #expect(known > 0 && known <= ScriptLimits.erasedOfUser)
            // A device of which there is no token needs no closing look.
            #expect(try await stage.keys("*:x:*").isEmpty)
            #expect(try await stage.keys("*:due").isEmpty)
        }
    }
}
