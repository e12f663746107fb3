import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Devices and tokens")
struct DeviceStoreTests {
    private func hash(_ stage: StoreStage, _ user: Int) async throws -> [[UInt8]: [UInt8]] {
        let key = Keys.user(stage.tenant, StoreStage.key(user).insiderID)
        return try await stage.store.value(RedisCommand("HGETALL", key)).fields.reduce(into: [:]) {
            $0[$1.name] = $1.value
        }
    }

    /// All but when something was reported.
    private func content(_ hash: [[UInt8]: [UInt8]]) -> [[UInt8]: [UInt8]] {
        hash.reduce(into: [:]) { result, field in
            switch field.key.first {
            case UInt8(ascii: "d"): result[field.key] = Array(field.value[..<2]) + field.value[8...]
            case UInt8(ascii: "t"): result[field.key] = Array(field.value[6...])
            default: result[field.key] = field.value
            }
        }
    }

    @Test("The same device or token again changes nothing but its time; another one does")
    func sameAgain() async throws {
        try await StoreStage.run { stage in
            let (key, tenant) = (StoreStage.key(1), stage.tenant)
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: tenant)
            try await stage.store.devices.putPushToStartToken([1, 2], key, tenantID: tenant, type: nil)
            try await stage.store.devices.putPushToStartToken([3], key, tenantID: tenant, type: "T")
            let first = try await hash(stage, 1)
            stage.advance(.seconds(5))
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: tenant)
            try await stage.store.devices.putPushToStartToken([1, 2], key, tenantID: tenant, type: nil)
            try await stage.store.devices.putPushToStartToken([3], key, tenantID: tenant, type: "T")
            #expect(try await content(hash(stage, 1)) == content(first))
            #expect(try await hash(stage, 1) != first)
            try await stage.store.devices.putPushToStartToken([1, 3], key, tenantID: tenant, type: nil)
            let changed = try await hash(stage, 1)
            #expect(changed != first && changed.count == first.count)
            let user = try #require(try await stage.store.devices.user(key.insiderID, tenantID: tenant))
            #expect(user.pushToStartToken(udid: key.udid, type: "U")?.token == [1, 3])
            #expect(user.pushToStartToken(udid: key.udid, type: "U")?.reportedAt == stage.now)
            #expect(user.pushToStartToken(udid: key.udid, type: "T")?.token == [3])
        }
    }

    @Test("Tenants do not see each other's users")
    func tenants() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = StoreStage.key(0).insiderID
            #expect(try await stage.store.devices.user(id, tenantID: stage.tenant) != nil)
            #expect(try await stage.store.devices.user(id, tenantID: "other") == nil)
        }
    }

    @Test("A new token, and a refusal, between register and start reach the roster; an acceptance again does as well")
    func changesReachTheRoster() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let id = try await stage.register(0..<4).activity.id
            func put(_ user: Int, _ device: Device) async throws {
                try await stage.store.devices.putDevice(device, StoreStage.key(user), tenantID: stage.tenant)
            }
            try await stage.store.devices.putPushToStartToken(
                [9, 9], StoreStage.key(0), tenantID: stage.tenant, type: nil)
            try await put(1, StoreStage.device(optIn: false))
            try await put(2, StoreStage.device(consent: false))
            var expected: [Int: [UInt8]] = [0: [9, 9], 3: StoreStage.token(3)]
            #expect(try await stage.startTokens(id) == expected)
            var record = try await stage.read(id)
            #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == 2)
            let skips = try await stage.store.roster.skipCounts(.pushToStart, in: record)
            #expect(skips[.pushOptOut] == 1 && skips[.gdprDenied] == 1)
            try await put(1, StoreStage.device())
            try await stage.store.devices.putPushToStartToken(
                [8], StoreStage.key(3), tenantID: stage.tenant, type: StoreStage.type)
            try await stage.store.devices.putPushToStartToken(
                [7], StoreStage.key(3), tenantID: stage.tenant, type: "Other")
            (expected[1], expected[3]) = (StoreStage.token(1), [8])
            #expect(try await stage.startTokens(id) == expected)
            record = try await stage.read(id)
            #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == 3)
        }
    }

    @Test(
        "A token longer than the page's cells widens the page, and all others stay what they were",
        arguments: [33, 200])
    func widening(length: Int) async throws {
        try await StoreStage.run { stage in
            let count = 1500
            try await stage.addDevices(0..<count)
            let id = try await stage.register(0..<count).activity.id
            let before = try await stage.startTokens(id)
            #expect(before.count == count)
            for user in [0, 700, 867, 868, 1499] {
                let token = StoreStage.token(user, length: length)
                try await stage.store.devices.putPushToStartToken(
                    token, StoreStage.key(user), tenantID: stage.tenant, type: nil)
                #expect(try await stage.startTokens(id)[user] == token)
            }
            let after = try await stage.startTokens(id)
            for (slot, token) in before where after[slot] != token {
                #expect([0, 700, 867, 868, 1499].contains(slot))
            }
            #expect(after.count == count)
            let expiry = try await stage.store.value(RedisCommand("PTTL", Keys.startPage(id, 0))).int ?? 0
            #expect(expiry > 0)
        }
    }

    @Test("A refusal that comes while the activity is registered is not lost")
    func refusalDuringRegister() async throws {
        try await StoreStage.run { stage in
            for number in 0..<150 {
                try await stage.addDevices(number..<(number + 1))
                let registration = StoredActivities.Registration(
                    type: StoreStage.type, endsAt: stage.now + .seconds(3600))
                async let report = stage.store.activities.register(
                    registration, insiderIDs: StoreStage.ids(number..<(number + 1)), tenantID: stage.tenant)
                // From one round trip to several later: the refusal meets every step of the registration.
                for _ in 0..<(number % 15) { try await stage.store.ping() }
                try await stage.store.devices.putDevice(
                    StoreStage.device(optIn: false), StoreStage.key(number), tenantID: stage.tenant)
                // Registration may also have come too late to find the device eligible.
                guard let id = try await report.activityID else { continue }
                #expect(try await stage.startTokens(id).isEmpty, "number \(number)")
            }
        }
    }

    @Test("Memberships and Live Activities of activities that are over are forgotten when the user changes")
    func forgetting() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let kept = try await stage.register(0..<1, type: "Kept", lasting: .seconds(6 * 86_400))
            #expect(
                try await stage.sync(0, .id(record.activity.id, type: nil), system: "live-activity").word == "synced")
            #expect(try await hash(stage, 0).count == 3 + 2 + 1)
            // A membership is kept to the end of a day.
            stage.advance(.seconds(3600 + 3 * 86_400))
            try await stage.store.devices.putPushToStartToken([5], StoreStage.key(0), tenantID: stage.tenant, type: nil)
            let user = try #require(
                try await stage.store.devices.user(StoreStage.key(0).insiderID, tenantID: stage.tenant))
            #expect(user.memberships.map(\.activity) == [kept.activity.id])
            let fields = try await hash(stage, 0)
            #expect(!fields.keys.contains(UserRecord.systemActivityField("live-activity")))
        }
    }
}
