import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reports that a Live Activity is there")
struct ShownLiveActivityTests {
    private func report(_ stage: StoreStage, _ user: Int, _ id: UniqueID, token: [UInt8]? = nil) async throws -> String
    {
        try await stage.store.reports.sync(
            StoreStage.key(user), token: token, reference: .id(id, type: nil), systemActivityID: nil,
            tenantID: stage.tenant
        ).word
    }

    private func states(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [DeviceState] {
        let counts = try await stage.store.reader.summedStates(in: record)
        let listed = try await stage.store.reader.devices(of: record, limit: 100).devices.map(\.state)
        // Redis counts what the listing shows.
        for state in DeviceState.allCases { #expect(counts[state] == listed.count { $0 == state }) }
        return listed
    }

    @Test(
        "A Live Activity without a token is shown, not synced; its token then takes the mark's place, and nothing takes the token's"
    )
    func shown() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            for _ in 0..<2 { #expect(try await report(stage, 1, id) == "synced") }
            #expect(try await states(stage, record) == [.pending, .shown, .pending])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 0)
            var order = try #require(try await stage.begin(.update, record))
            #expect(try await stage.page(0, order).skipped[.notSynced] == 3)
            #expect(try await report(stage, 1, id, token: [7, 8]) == "synced")
            #expect(try await report(stage, 1, id) == "synced")
            #expect(try await states(stage, record) == [.pending, .active, .pending])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
            order = try #require(try await stage.begin(.update, record))
            #expect(try await stage.page(0, order).tokens == [1: [7, 8]])
        }
    }

    @Test("A Live Activity proves a start that nobody knew of, with a token or without")
    func proof() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            let unknown = [UInt8](repeating: DeliveryStatus.startUnknown, count: 3)
            try await stage.putStatuses(unknown, from: 0, id)
            #expect(try await states(stage, record) == [.unknown, .unknown, .unknown])
            for _ in 0..<2 {
                #expect(try await report(stage, 0, id) == "synced")
                #expect(try await report(stage, 2, id, token: [1]) == "synced")
            }
            let statuses = try await stage.stored(.statuses, id, 0)
            #expect(
                statuses == [DeliveryStatus.startAccepted, DeliveryStatus.startUnknown, DeliveryStatus.startAccepted])
            #expect(try await states(stage, record) == [.shown, .unknown, .active])
        }
    }

    @Test("A Live Activity that has ended is not shown again; a shown one can be dismissed")
    func ended() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let id = record.activity.id
            #expect(try await report(stage, 0, id) == "synced")
            let dismissed = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: .id(id, type: nil), tenantID: stage.tenant)
            #expect(dismissed.dismissal?.activityID == id)
            #expect(try await report(stage, 0, id) == "synced")
            #expect(try await states(stage, record) == [.ended, .pending])
        }
    }

    @Test("A Live Activity without a token whose activity has ended waits for its token, which is sent the end then")
    func late() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let id = record.activity.id
            let end = try #require(try await stage.begin(.end, record, .slots([0])))
            try await stage.store.roster.remember([0], endedBy: end.id, in: record.activity)
            #expect(try await report(stage, 0, id) == "synced")
            #expect(try await report(stage, 0, id, token: [1]) == "late end")
            _ = try #require(try await stage.begin(.end, record))
            #expect(try await report(stage, 1, id) == "synced")
            #expect(try await report(stage, 1, id, token: [2]) == "late end")
        }
    }

    @Test("Who takes the consent back has no mark of a Live Activity either")
    func refusal() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            try await stage.store.devices.putDevice(
                StoreStage.device(consent: false), StoreStage.key(0), tenantID: stage.tenant)
            #expect(try await report(stage, 0, record.activity.id) == "synced")
            let order = try #require(try await stage.begin(.update, record))
            #expect(try await stage.page(0, order).skipped[.gdprDenied] == 1)
        }
    }
}
