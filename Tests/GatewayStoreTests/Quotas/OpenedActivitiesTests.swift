import Encodings
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Activities that devices open, as they are counted")
struct OpenedActivitiesTests {
    private func limits(_ values: (TenantLimits.Limit, Int)...) -> TenantLimits {
        var limits = TenantLimits.standard
        for (limit, value) in values { limits.set(limit, value) }
        return limits
    }

    private func open(
        _ stage: StoreStage, _ user: Int, _ name: String, _ limits: TenantLimits
    ) async throws -> ActivityRecord {
        let outcome = try await stage.store.reports.sync(
            StoreStage.key(user), token: StoreStage.token(user) + name.utf8,
            reference: .external(name, type: StoreStage.type, isOwn: true), systemActivityID: nil,
            tenantID: stage.tenant, limits: limits)
        guard case .synced(let record, _, _) = outcome else { throw StoreError.damaged(outcome.word) }
        return record
    }

    private func counted(_ stage: StoreStage, _ key: String) async throws -> [UniqueID] {
        try await (stage.store.value(RedisCommand("ZRANGE", key, 0, -1)).array ?? [])
            .compactMap { $0.bytes.flatMap { UniqueID(bytes: $0) } }
    }

    @Test("A report that was cut off is counted once, however often it is tried")
    func retries() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let (tenants, users) = (Keys.opened(stage.tenant), Keys.opened(stage.tenant, StoreStage.key(0).insiderID))
            // A string in place of the set makes the tenant's count fail, and its undo.
            _ = try await stage.store.value(RedisCommand("SET", tenants, "in the way"))
            for _ in 0..<5 {
                await #expect(throws: StoreError.self) { try await open(stage, 0, "a", .standard) }
                // A stalled store enters the activity and answers too late.
                let name = ExternalName("a", type: StoreStage.type, owner: StoreStage.key(0).insiderID)
                let key = Keys.externalActivity(stage.tenant, Hexadecimal.encode(Digest.sha256(name.bytes)))
                let id = try await stage.store.value(RedisCommand("HGET", key, "proposed")).string
                    .flatMap { UniqueID($0) }
                try await stage.store.opened.enter(
                    StoreStage.key(0).insiderID, #require(id), tenantID: stage.tenant, .standard)
            }
            #expect(
                try await stage.store.activities.deviceInitiatedActivity(
                    ExternalName("a", type: StoreStage.type, owner: StoreStage.key(0).insiderID),
                    tenantID: stage.tenant) == nil)
            _ = try await stage.store.value(RedisCommand("DEL", tenants))
            let id = try await open(stage, 0, "a", .standard).activity.id
            #expect(try await counted(stage, users) == [id])
            #expect(try await counted(stage, tenants) == [id])
            #expect(try await open(stage, 0, "a", .standard).activity.id == id)
        }
    }

    @Test("What was counted and never made leaves a full set after a moment, and what is about to be made does not")
    func phantoms() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let given = limits((.openedActivitiesPerUser, 3), (.openedActivities, 3))
            let opened = stage.store.opened
            _ = try await open(stage, 0, "a", given)
            for _ in 0..<2 {
                let id = UniqueID.random()
                try await opened.enter(StoreStage.key(0).insiderID, id, tenantID: stage.tenant, given)
                try await opened.open(
                    id, endsAt: stage.now + StoredActivities.deviceInitiatedLife, tenantID: stage.tenant, given)
            }
            stage.advance(.seconds(50))
            await #expect(throws: StoreError.quotaReached(.openedActivitiesPerUser, wait: nil)) {
                try await open(stage, 0, "b", given)
            }
            stage.advance(.seconds(20))
            for name in ["b", "c"] { _ = try await open(stage, 0, name, given) }
            #expect(try await opened.count(stage.tenant) == 3)
            await #expect(throws: StoreError.quotaReached(.openedActivitiesPerUser, wait: nil)) {
                try await open(stage, 0, "d", given)
            }
        }
    }

    @Test("What has ended is found behind any number that are alive")
    func hidden() async throws {
        try await StoreStage.run { stage in
            let given = limits((.openedActivities, 900))
            let opened = stage.store.opened
            for number in 0..<900 {
                let id = UniqueID.random()
                // The activities that expire first are alive.
                try await opened.open(
                    id, endsAt: stage.now + .seconds(3600 + number), tenantID: stage.tenant, given)
                let state: Activity.State = number < 600 ? .started : .dead
                _ = try await stage.store.value(
                    RedisCommand("HSET", Keys.activity(id), "state", Int(state.rawValue)))
            }
            try await opened.open(
                .random(), endsAt: stage.now + .seconds(3600), tenantID: stage.tenant, given)
            #expect(try await (601..<900).contains(opened.count(stage.tenant)))
        }
    }
}
