import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Registering")
struct RegistrationTests {
    private func register(_ stage: StoreStage, _ ids: [String]) async throws -> RegistrationReport {
        try await stage.store.activities.register(
            StoredActivities.Registration(
                type: StoreStage.type, endsAt: stage.now + .seconds(3600), activityIDAttribute: "id"),
            insiderIDs: ids, tenantID: stage.tenant)
    }

    @Test("Every user and device that is passed over is counted by its reason, with details of denied ones")
    func reasons() async throws {
        try await StoreStage.run { stage in
            let store = stage.store
            func add(_ user: Int, _ number: Int, _ device: Device, hasToken: Bool = true) async throws {
                let key = StoreStage.key(user, number)
                try await store.devices.importDevices(
                    [(key, device, hasToken ? [1, UInt8(user), UInt8(number)] : nil)], tenantID: stage.tenant)
            }
            try await add(0, 0, StoreStage.device())
            try await add(0, 1, StoreStage.device())
            try await add(1, 0, StoreStage.device("17.1"))
            try await add(1, 1, StoreStage.device())
            try await add(2, 0, StoreStage.device(optIn: false))
            try await add(3, 0, StoreStage.device(consent: false))
            try await add(4, 0, StoreStage.device(), hasToken: false)
            try await store.devices.putPushToStartToken([1], StoreStage.key(5), tenantID: stage.tenant, type: nil)
            let report = try await register(stage, StoreStage.ids(0..<7))
            #expect(report.users == 2 && report.devices == 3 && report.isPartial)
            var expected = SkipCounts()
            for reason in [
                SkipReason.osVersion, .pushOptOut, .gdprDenied, .noPushToStartToken, .noDevice, .unknownUser,
            ] {
                expected[reason] = 1
            }
            #expect(report.skipped == expected)
            #expect(report.gdprDenied == [StoreStage.key(3)])
            let record = try await stage.read(try #require(report.activityID))
            #expect(record.users == 2 && record.devices == 3 && record.slots.ranges == [0..<3])
            #expect(record.activity.state == .registered && record.activity.activityIDAttribute == "id")
            #expect(record.activity.tenantID == stage.tenant && record.activity.endsAt == stage.now + .seconds(3600))
        }
    }

    @Test("When nobody is eligible there is no activity, and all reasons are told")
    func nobody() async throws {
        try await StoreStage.run { stage in
            for user in 0..<3 {
                try await stage.store.devices.putDevice(
                    StoreStage.device(consent: false), StoreStage.key(user), tenantID: stage.tenant)
            }
            let report = try await register(stage, StoreStage.ids(0..<5))
            #expect(report.activityID == nil && report.users == 0 && report.devices == 0 && report.isPartial)
            #expect(report.skipped[.gdprDenied] == 3 && report.skipped[.unknownUser] == 2)
            #expect(try await stage.keys("*:a:*").isEmpty)
        }
    }

    @Test("At most a thousand denied devices are named, and all are counted")
    func manyDenied() async throws {
        try await StoreStage.run { stage in
            try await stage.store.devices.importDevices(
                (0..<1100).map { (StoreStage.key($0), StoreStage.device(consent: $0 == 0), StoreStage.token($0)) },
                tenantID: stage.tenant)
            let report = try await register(stage, StoreStage.ids(0..<1100))
            #expect(report.gdprDenied.count == 1000 && report.skipped[.gdprDenied] == 1099 && report.devices == 1)
        }
    }

    @Test("Devices of several pages all have their slot, their token and their name")
    func pages() async throws {
        try await StoreStage.run { stage in
            let count = 2500
            try await stage.addDevices(0..<count)
            let record = try await stage.register(0..<count)
            #expect(record.slots.pages == [0, 1, 2] && record.devices == count && record.users == count)
            let tokens = try await stage.startTokens(record.activity.id)
            #expect(tokens.count == count && tokens.allSatisfy { $0.value == StoreStage.token($0.key) })
            for slot in [0, 867, 868, 1735, 1736, 2499] as [UInt32] {
                let page = RosterGeometry.page(ofSlot: slot)
                let names = try await stage.store.roster.identities(page, of: record.activity.id)
                let name = names.identity(RosterGeometry.index(ofSlot: slot))
                let key = StoreStage.key(Int(slot))
                let user = try await stage.store.devices.user(key.insiderID, tenantID: stage.tenant)
                #expect(name?.insiderID == key.insiderID && name?.device == user?.device(key.udid)?.number)
            }
            #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == count)
        }
    }

    @Test("All that is written of an activity expires by itself")
    func expiry() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.register(0..<2)
            _ = try await stage.store.activities.addUsers(StoreStage.ids(2..<3), to: record.activity.id)
            let order = try #require(try await stage.begin(.start, record))
            for job in try await stage.jobs(order) { _ = try await stage.store.jobs.open(job, order, owner: "a") }
            _ = try await stage.sync(0, .id(record.activity.id, type: nil))
            try await stage.store.roster.remember([1], endedBy: .random(), in: record.activity)
            // Queues of work and their counts do not expire, because gateways empty them.
            let shard = StoredJobs.shard(of: order.activity.id)
            let work = [
                Keys.jobs(shard, .small), Keys.unfinished(shard), Keys.unfinishedOwners(shard),
                Keys.unfinishedCounts(shard), Keys.due(shard),
            ]
            let ofActivity = try await stage.keys("*").filter {
                !$0.contains("{u:") && !$0.contains("{o:") && !work.contains($0)
            }
            #expect(ofActivity.count >= 11)
            for key in ofActivity {
                let remaining = try await stage.store.value(RedisCommand("PTTL", key)).int ?? -1
                #expect(remaining > 0, "\(key)")
            }
        }
    }
}
