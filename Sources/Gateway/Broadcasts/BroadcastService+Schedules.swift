import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension BroadcastService {
    /// How soon what was refused for a moment is tried again.
    private static let retryPause = TimeInterval.seconds(1)

    /// Carries out a schedule whose time has come, just as a call of the API at this moment, and notes what came of it. It
    /// is taken out of the due queue in the step that records its broadcast, or that notes why there is none.
    func carryOutSchedule(_ id: UniqueID, in activity: UniqueID, _ item: DueItem) async throws(StoreError) {
        // A schedule that was narrowed since it was read is read again.
        for _ in 0..<5 {
            guard let schedule = try await store.schedules.schedule(id, in: activity), schedule.state == .pending else {
                return try await store.due.drop(item)
            }
            let now = store.wallClock()
            switch ScheduleRules.timing(schedule.deliverAt, expiresAfter: schedule.expiresAfter, now: now) {
            case .later(let time): return try await store.due.postpone(item, until: time)
            case .expired: return try await store.schedules.conclude(schedule, .expired, reason: nil)
            case .now: break
            }
            if schedule.isUnreadable {
                // Another gateway may have the key: the item is given out again.
                guard schedule.deliverAt + JobWorker.patience < now else { return }
                return try await store.schedules.conclude(
                    schedule, .failed, reason: BroadcastTally.OwnReason.contentUnreadable.rawValue)
            }
            guard try await jobs.settings.admits(store.tenants.tenant(schedule.tenantID)?.tenant) else {
                return try await store.schedules.conclude(schedule, .failed, reason: "TIER_REQUIRED")
            }
            guard var request = BroadcastRequest(schedule) else {
                return try await store.schedules.conclude(schedule, .failed, reason: "INTERNAL_ERROR")
            }
            if let owner = schedule.owner {
                request.origin.source = .device
                request.targets = try await store.devices.devices(
                    of: owner, in: activity, tenantID: schedule.tenantID)
            }
            do {
                switch try await carryOut(request) {
                case .recorded, .ended, .cancelled: return await store.schedules.release(schedule)
                // Nobody was left to send it to, or nothing: which is no failure of the call either.
                case .nobody, .unchanged: return try await store.schedules.conclude(schedule, .done, reason: nil)
                }
            } catch let refusal as BroadcastRefusal {
                if case .scheduleGone = refusal { continue }
                if let code = refusal.code {
                    return try await store.schedules.conclude(schedule, .failed, reason: code)
                }
                return try await store.due.postpone(item, until: now + BroadcastService.retryPause)
            } catch let error as StoreError {
                throw error
            } catch {
                // The gateway stops: the item is given out again.
                return
            }
        }
    }
}

extension BroadcastRequest {
    /// What a schedule asks for when its time has come; nil when it does not hold that any more.
    fileprivate init?(_ schedule: Schedule) {
        guard let payload = schedule.payload else { return nil }
        let command: Command =
            switch schedule.kind {
            case .start: .start
            case .update: .update
            case .end: .end
            }
        self.init(
            command, tenantID: schedule.tenantID, activityID: schedule.activityID,
            type: nil, priority: schedule.priority ?? (schedule.kind == .update ? nil : 10)
        ) { _ in payload }
        id = schedule.id
        targets = schedule.targets
        expiration = schedule.expiration
        force = schedule.isForced
        skipsUnchanged = schedule.skipsUnchanged
        self.schedule = schedule
    }
}
