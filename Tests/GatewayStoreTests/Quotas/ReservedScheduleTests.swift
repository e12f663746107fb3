import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Quotas of apps' schedules")
struct ReservedScheduleTests {
    private func opened(_ stage: StoreStage) async throws -> Activity {
        try await stage.addDevices(0..<1)
        let outcome = try await stage.store.reports.sync(
            StoreStage.key(0), token: StoreStage.token(0),
            reference: .external("a", type: StoreStage.type, isOwn: true), systemActivityID: nil,
            tenantID: stage.tenant, limits: .standard)
        guard case .synced(let record, _, _) = outcome else { throw StoreError.damaged(outcome.word) }
        return record.activity
    }

    private func schedule(_ stage: StoreStage, _ activity: Activity, owner: String?) -> Schedule {
        var schedule = Schedule(
            activityID: activity.id, tenantID: stage.tenant, kind: .update,
            payload: Payload(beforeTimestamp: [1, 2, 3], afterTimestamp: [4]), priority: nil,
            deliverAt: stage.now + .seconds(60), createdAt: stage.now)
        schedule.owner = owner
        return schedule
    }

    private func keys(_ stage: StoreStage) async throws -> [String] {
        try await stage.keys("fanfare:{t:*}:schedules*")
    }

    @Test("A schedule that finds the activity's list full does not count, and neither does a customer's")
    func fullList() async throws {
        try await StoreStage.run { stage in
            let activity = try await opened(stage)
            let owner = StoreStage.key(0).insiderID
            let schedules = stage.store.schedules
            for number in 0..<(ScheduleRules.maximumPendingOfUser + 2) {
                let addition = try await schedules.add(schedule(stage, activity, owner: owner), to: activity, .standard)
                #expect(addition == (number < ScheduleRules.maximumPendingOfUser ? .added : .full))
            }
            var few = TenantLimits.standard
            few.set(.appSchedules, 1)
            #expect(try await schedules.add(schedule(stage, activity, owner: nil), to: activity, few) == .added)
            let use = try await stage.store.reserved.use(stage.tenant)
            #expect(use.count == ScheduleRules.maximumPendingOfUser && use.bytes == 4 * use.count)
            // The keys expire behind the last record.
            for key in try await keys(stage) {
                let left = try await stage.store.value(RedisCommand("PTTL", key)).int ?? 0
                let life = Int64(ReservedSchedules.life.millisecondsRoundedUp)
                #expect(left > life && left <= life + 60_000)
            }
        }
    }

    @Test("A hash that Redis has evicted alone leaves no user in the way")
    func evicted() async throws {
        try await StoreStage.run { stage in
            let activity = try await opened(stage)
            for user in 0..<40 {
                let one = schedule(stage, activity, owner: "user-\(user)")
                #expect(try await stage.store.reserved.reserve(one, bytes: 1, .standard))
            }
            _ = try await stage.store.value(RedisCommand("DEL", Keys.reservedSchedules(stage.tenant)))
            stage.advance(ReservedSchedules.life)
            stage.advance(.seconds(1))
            for _ in 0..<3 {
                let one = schedule(stage, activity, owner: "user-0")
                #expect(try await stage.store.reserved.reserve(one, bytes: 1, .standard))
            }
            let ages = Keys.reservedScheduleAges(stage.tenant)
            #expect(try await stage.store.value(RedisCommand("ZCARD", ages)).int == 1)
            #expect(try await stage.store.reserved.use(stage.tenant).count == 3)
        }
    }

    @Test("A reservation that a repeated request has renewed is not released as one without a record")
    func renewed() async throws {
        try await StoreStage.run { stage in
            let activity = try await opened(stage)
            let owner = StoreStage.key(0).insiderID
            let one = schedule(stage, activity, owner: owner)
            let reserved = stage.store.reserved
            #expect(try await reserved.reserve(one, bytes: 4, .standard))
            let first = stage.now
            stage.advance(ReservedSchedules.settling)
            // A gateway has found no record, and another one repeats the request.
            #expect(try await stage.store.schedules.add(one, to: activity, .standard) == .added)
            for (time, left) in [(first, 1), (stage.now, 0)] {
                let user = ReservedSchedules.digest(owner)
                try await reserved.release([.init(user: user, id: one.id, since: time)], tenantID: stage.tenant)
                #expect(try await reserved.use(stage.tenant).count == left)
            }
        }
    }
}
