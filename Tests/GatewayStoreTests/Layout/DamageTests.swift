import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Damaged records")
struct DamageTests {
    @Test("No bytes make a decoder trap, and what it gives lies within the bytes")
    func garbage() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                // Small values are lengths that fit, so that decoding gets far.
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...9, using: &generator) : .random(in: 0...255, using: &generator)
            }
            let page = TokenPage(bytes)
            for index in [0, 1, 2, 30, 1023] {
                guard case .content(let range) = page.cell(index) else { continue }
                #expect(range.lowerBound >= 1 && range.upperBound <= bytes.count && !range.isEmpty, "seed \(seed)")
                if let token = UpdateToken.token(in: range) {
                    #expect(!token.isEmpty && range.contains(token.lowerBound))
                }
            }
            _ = DeviceRecord.decode(bytes)
            #expect(IdentityRun.decode(bytes).count <= bytes.count / 3)
            let membership = Membership(bytes)
            if let membership { #expect(membership.bytes == bytes, "seed \(seed)") }
            for device in (membership?.slots.map(\.device) ?? []) + [UInt32(bytes.first ?? 0)] {
                let slot = bytes.withUnsafeBytes { Membership.slot(device: device, in: $0) }
                #expect(slot == membership?.slot(device: device), "seed \(seed)")
            }
            for range in SlotRanges(bytes).ranges { #expect(!range.isEmpty) }
            if let token = UserRecord.decodeToken(bytes, longest: 200) {
                #expect((1...200).contains(token.token.count) && bytes.count == token.token.count + 6)
            }
            let fields = (0..<4).map { _ in (name: bytes.shuffled(using: &generator), value: bytes) }
            _ = UserRecord(fields)
            _ = ActivityRecord(UniqueID(high: 0, low: 0), fields)
            _ = IdentityPage(fields).identity(0)
            #expect(PackedName.decode(bytes[...]).utf8.count >= bytes.count || bytes.contains { $0 >= 128 })
        }
    }

    @Test("A stored token that is too long for a cell is no token")
    func longToken() throws {
        let value = UserRecord.encodeToken([UInt8](repeating: 1, count: 300), reportedAt: WallTime(seconds: 1))
        let user = try #require(
            UserRecord([
                (UserRecord.deviceField("a"), DeviceRecord.stored(StoreStage.device())),
                (UserRecord.tokenField(device: 1, ""), value),
            ]))
        #expect(user.startCell("a", "T", slot: 0) == TokenPage.cell(reason: .noPushToStartToken))
    }

    @Test("Records that cannot be read are passed over in the store as well")
    func inTheStore() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let users = [0, 1].map { Keys.user(stage.tenant, StoreStage.key($0).insiderID) }
            let udid = StoreStage.key(0).udid
            _ = try await stage.store.values([
                RedisCommand("HSET", users[0], UserRecord.deviceField(udid), [9, 9, 9] as [UInt8]),
                RedisCommand("HSET", users[1], UserRecord.tokenField(device: 1, ""), [1, 2] as [UInt8]),
            ])
            let registration = StoredActivities.Registration(type: "T", endsAt: stage.now + .seconds(600))
            let report = try await stage.store.activities.register(
                registration, insiderIDs: StoreStage.ids(0..<3), tenantID: stage.tenant)
            #expect(report.devices == 1 && report.skipped[.noDevice] == 1 && report.skipped[.noPushToStartToken] == 1)
        }
    }

    @Test("Slots at the end of the scale are looked for without a trap")
    func farSlots() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let order = try #require(try await stage.begin(.update, record, .slots([0, 1, .max])))
            #expect(try await stage.page(RosterGeometry.page(ofSlot: .max), order).devices.isEmpty)
            #expect(try await stage.page(0, order).skipped[.notSynced] == 2)
        }
    }

    @Test("A cell too short for an update token is counted as not synced")
    func shortUpdateCell() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let page = TokenPage.encode([TokenPage.cell(content: [1, 2, 3])])
            try await stage.put(page, .updateTokens, record.activity.id, 0)
            let order = try #require(try await stage.begin(.update, record))
            let read = try await stage.page(0, order)
            #expect(read.devices.isEmpty && read.skipped[.notSynced] == 1)
        }
    }
}
