import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Tokens that the provider refused")
struct QuarantineTests {
    private func quarantine(
        _ stage: StoreStage, _ tokens: [Int: [UInt8]], _ order: BroadcastOrder, asOf: WallTime? = nil
    ) async throws {
        var outcome = PageOutcome(page: 0)
        outcome.quarantinedTokens = tokens.map { ($0.key, $0.value) }
        outcome.pushedAt = asOf ?? stage.now
        try await stage.quarantine(outcome, order)
    }

    @Test("A start's token is not started again until it is reported anew, be it the same; others stay")
    func start() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let other = try await stage.register(0..<3, type: "Other").activity.id
            let record = try await stage.register(0..<3)
            let order = try #require(try await stage.begin(.start, record))
            for _ in 0..<2 { try await quarantine(stage, [0: StoreStage.token(0), 1: [9]], order) }
            // The quarantine also applies in other activities and to later registrations.
            #expect(try await stage.startTokens(other).keys.sorted() == [1, 2])
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(600))
            var report = try await stage.store.activities.register(
                registration, insiderIDs: StoreStage.ids(0..<3), tenantID: stage.tenant)
            #expect(report.devices == 2 && report.skipped[.noPushToStartToken] == 1)
            stage.advance(.seconds(1))
            try await stage.store.devices.putPushToStartToken(
                StoreStage.token(0), StoreStage.key(0), tenantID: stage.tenant, type: nil)
            #expect(try await stage.startTokens(other).keys.sorted() == [0, 1, 2])
            report = try await stage.store.activities.register(
                registration, insiderIDs: StoreStage.ids(0..<3), tenantID: stage.tenant)
            #expect(report.devices == 3)
            // A late answer to an earlier push has no effect.
            try await quarantine(
                stage, [0: StoreStage.token(0)], order, asOf: WallTime(milliseconds: stage.now.milliseconds - 1))
            #expect(try await stage.startTokens(other).count == 3)
        }
    }

    @Test("A refused token of one type leaves the typeless one to start with")
    func fallback() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            try await stage.store.devices.putPushToStartToken(
                [5], StoreStage.key(0), tenantID: stage.tenant, type: StoreStage.type)
            let other = try await stage.register(0..<1).activity.id
            #expect(try await stage.startTokens(other) == [0: [5]])
            let order = try #require(try await stage.begin(.start, stage.register(0..<1)))
            try await quarantine(stage, [0: [5]], order)
            #expect(try await stage.startTokens(other) == [0: StoreStage.token(0)])
        }
    }

    @Test("An update token is not pushed to again until it is reported anew, be it the same")
    func update() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            for user in 0..<3 { _ = try await stage.sync(user, .id(id, type: nil), token: [UInt8(user + 1)]) }
            let order = try #require(try await stage.begin(.update, record))
            // User 1 has reported another token since the refused one.
            for _ in 0..<2 { try await quarantine(stage, [0: [1], 1: [9]], order) }
            #expect(try await stage.page(0, order).tokens == [1: [2], 2: [3]])
            #expect(try await stage.page(0, order).skipped[.notSynced] == 1)
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 2)
            #expect(try await stage.store.reader.summedStates(in: record)[.pending] == 1)
            #expect(try await stage.sync(0, .id(id, type: nil), token: [1]).word == "synced")
            #expect(try await stage.page(0, order).tokens == [0: [1], 1: [2], 2: [3]])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 3)
        }
    }
}
