import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Listing the devices of an activity") struct DeviceListingTests {
    /// All devices in a state, read page by page, and the number of pages.
    private func all(
        _ stage: StoreStage, _ record: ActivityRecord, _ state: DeviceState? = nil, limit: Int = 100
    ) async throws -> (devices: [ListedDevice], pages: Int) {
        var devices: [ListedDevice] = []
        var cursor: DeviceCursor?
        var pages = 0
        repeat {
            let listing = try await stage.store.reader.devices(of: record, in: state, limit: limit, from: cursor)
            #expect(listing.devices.count <= limit)
            devices += listing.devices
            // Clients return the cursor as text.
            cursor = try listing.next.map { try #require(DeviceCursor($0.text)) }
            pages += 1
        } while cursor != nil && pages < 10_000
        return (devices, pages)
    }

    private func users(_ devices: [ListedDevice]) -> [String] { devices.map(\.key.insiderID) }

    @Test(
        "Before the start all are registered, in the order of their slots, each once, whatever the limit",
        arguments: [1, 7, 100, 1_000])
    func registered(_ limit: Int) async throws {
        try await StoreStage.run { stage in
            let count = limit == 1 ? 30 : 1_800
            try await stage.addDevices(0..<count)
            let record = try await stage.register(0..<count)
            let (devices, pages) = try await all(stage, record, limit: limit)
            let isSame = devices.map(\.key) == (0..<count).map { StoreStage.key($0) }
            #expect(isSame)
            #expect(devices.allSatisfy { $0.state == .registered && $0.lastOutcome == nil })
            // The last page is not empty.
            #expect(pages == (count + limit - 1) / limit)
        }
    }

    @Test("Every state is told from the others, and can be asked for alone")
    func states() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<12)
            let record = try await stage.register(0..<12)
            _ = try await stage.store.activities.removeUsers(["user-11"], from: record.activity.id)
            let order = try #require(try await stage.begin(.start, try await stage.read(record.activity.id)))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0, 1, 2, 3]
            outcome.failed = [4, 5]
            (outcome.failedFor, outcome.reasons) = ([0, 1], ["BadDeviceToken", "Refused"])
            outcome.unknown = [6, 7]
            try await stage.finish(outcome, order)
            let started = try await stage.read(record.activity.id)
            // User 7's Live Activity proves that its unknown start arrived.
            for user in [2, 3, 7] {
                #expect(try await stage.sync(user, .id(started.activity.id, type: nil)).word == "synced")
            }
            _ = try await stage.store.reports.dismiss(
                StoreStage.key(3), reference: .id(started.activity.id, type: nil), tenantID: stage.tenant)
            let expected: [(DeviceState, [Int], String)] = [
                (.pending, [0, 1], "accepted accepted"), (.active, [2, 7], "accepted unknown"),
                (.failed, [4, 5], "BadDeviceToken Refused"), (.unknown, [6], "unknown"), (.registered, [8, 9, 10], ""),
                (.ended, [3], "accepted"),
            ]
            for (state, members, word) in expected {
                let devices = try await all(stage, started, state).devices
                #expect(users(devices) == members.map { "user-\($0)" }, "\(state)")
                #expect(devices.allSatisfy { $0.state == state })
                let words = devices.compactMap { device in device.lastOutcome.map { $0.failure ?? "accepted" } }
                #expect(words.joined(separator: " ") == word)
                #expect(devices.allSatisfy { $0.lastOutcome.map { $0.at.seconds == stage.now.seconds } ?? true })
                #expect(devices.allSatisfy { $0.endReason == (state == .ended ? .userDismissed : nil) })
            }
            // The removed user is in no state.
            let everybody = try await all(stage, started, limit: 2).devices
            #expect(users(everybody) == (0...10).map { "user-\($0)" })
            #expect(
                everybody.map(\.state).map(\.rawValue) == [
                    "pending", "pending", "active", "ended", "failed", "failed", "unknown", "active", "registered",
                    "registered", "registered",
                ])
        }
    }

    @Test("Users with several devices are listed with each, by its own udid")
    func severalDevices() async throws {
        try await StoreStage.run { stage in
            let keys = (0..<5).flatMap { user in (0..<3).map { StoreStage.key(user, $0) } }
            try await stage.store.devices.importDevices(
                keys.map { ($0, StoreStage.device(), StoreStage.token(1)) }, tenantID: stage.tenant)
            let record = try await stage.register(0..<5)
            #expect(try await all(stage, record, limit: 4).devices.map(\.key) == keys)
        }
    }

    @Test("A device in few places is found, with a bounded number of pages a call")
    func sparse() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.register(0..<3)
            // A segment of 200 pages, of which only the first and the last hold devices.
            let last = RosterGeometry.slot(page: 199, index: 867)
            let id = record.activity.id
            let slots = SlotRanges([0..<3, 868..<(last + 1)])
            _ = try await stage.store.values([
                RedisCommand("HSET", Keys.activity(id), "slots", slots.bytes),
                RedisCommand("SETRANGE", Keys.statusPage(id, 199), 867, [DeliveryStatus.startFailed]),
                RedisCommand("HSET", Keys.identityPage(id, 199), 867, identity("user-2", 1)),
            ])
            let wide = try await stage.read(id)
            let (devices, pages) = try await all(stage, wide, .failed)
            #expect(users(devices) == ["user-2"])
            #expect(pages == 9)
            #expect(try await all(stage, wide, .ended).pages == 9)
        }
    }

    private func identity(_ insiderID: String, _ device: UInt32) -> [UInt8] {
        var run = IdentityRun()
        run.append(insiderID: insiderID, device: device)
        return run.bytes
    }

    @Test("Slots without a name, users that are gone and damaged pages are passed over")
    func damaged() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<6)
            let record = try await stage.register(0..<6)
            let id = record.activity.id
            _ = try await stage.store.value(RedisCommand("DEL", Keys.user(stage.tenant, "user-2")))
            #expect(users(try await all(stage, record, limit: 2).devices) == [0, 1, 3, 4, 5].map { "user-\($0)" })
            try await stage.put([0, 0, 3, 0, 200, 1], .identities, id, 0)
            #expect(try await all(stage, record).devices.isEmpty)
            try await stage.remove(.statuses, id, 0)
            #expect(try await all(stage, record).pages == 1)
        }
    }

    @Test("A cursor is nothing but what a listing gave")
    func cursor() throws {
        for slot in [0, 1, 867, 868, UInt32.max] {
            let cursor = DeviceCursor(slot: slot)
            #expect(DeviceCursor(cursor.text) == cursor)
        }
        for text in ["", "0", "00", "0200000000", "01000000", "010000000000", "01zz000000", "7", " 0100000000"] {
            #expect(DeviceCursor(text) == nil, "\(text)")
        }
    }
}
