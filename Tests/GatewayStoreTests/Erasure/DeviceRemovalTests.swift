import Delivery
import LiveActivity
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
        // It goes by itself, after the longest time that a report may be under way.
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

            let start = try await stage.store.erasures.removeDevice(Self.key, tenantID: tenant)
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
            #expect(try await stage.store.erasures.removeDevice(Self.key, tenantID: tenant).devices == 0)
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
            let start = try await stage.store.erasures.removeDevice(Self.key, tenantID: stage.tenant)
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

    @Test("Nothing is noted of the device of a user whom nobody knows, whatever it is called")
    func unknown() async throws {
        try await StoreStage.run { stage in
            let noted = Keys.erased(stage.tenant, Self.key.insiderID)
            let start = try await stage.store.erasures.begin(Self.key, tenantID: stage.tenant)
            #expect(start.devices == 0 && start.users == 0)
            #expect(try await stage.redis.value(RedisCommand("EXISTS", noted)).int == 0)
        }
    }

    @Test("What was reported before does not bring it back; what is reported afterwards makes a new device")
    func lateReports() async throws {
        try await StoreStage.run { stage in
            let devices = stage.store.devices
            try await devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: stage.tenant)
            let before = stage.now
            stage.advance(.seconds(1))
            try await stage.store.erasures.removeDevice(Self.key, tenantID: stage.tenant)
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

    @Test("Who is erased while a segment is registered gets no place")
    func whileRegistering() async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            try await store.devices.importDevices([(Self.key, StoreStage.device(), Self.token)], tenantID: tenant)
            let second = DeviceKey(insiderID: Self.key.insiderID, udid: "second")
            try await store.devices.putDevice(StoreStage.device(), second, tenantID: tenant)
            try await stage.addDevices(0..<2)
            let ids = [StoreStage.key(0).insiderID, Self.key.insiderID, StoreStage.key(1).insiderID]
            let records = try await store.devices.users(ids, tenantID: tenant)
            // Between the reading and the joining.
            let start = try await store.erasures.begin(Self.key.insiderID, tenantID: tenant)
            var report = ErasureReport()
            try await store.erasures.forgetRest(start.erasure, &report)
            #expect(report.tokens == 1)
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
            let made = store.activities.visible(
                activity, draft.report, .init(type: StoreStage.type, endsAt: activity.endsAt), bands)
            for command in writer.freshPages() + made { _ = try await stage.redis.value(command) }
            try await store.activities.join(writer, activity, now: stage.now)
            #expect(try await traces(stage, [Array(Self.key.insiderID.utf8), Self.token]).isEmpty)
            #expect(try await stage.startTokens(activity.id).count == 2)
        }
    }
}
