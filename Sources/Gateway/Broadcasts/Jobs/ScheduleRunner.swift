import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

/// Carries out schedules that are due, like calls of the API.
struct ScheduleRunner {
    private let service: BroadcastService
    private let store: GatewayStore

    init(_ service: BroadcastService) {
        self.service = service
        store = service.store
    }

    /// The pause before a schedule that was refused for a moment is tried again.
    private static let retryPause = TimeInterval.seconds(1)

    /// Carries out a due schedule, after the earlier schedules of its activity that still wait. The order matters after
    /// an outage: several schedules are due at once, and devices must show the last one.
    func carryOut(_ id: UniqueID, in activity: UniqueID, _ item: DueItem) async throws(StoreError) {
        guard let schedule = try await store.schedules.schedule(id, in: activity), schedule.state == .pending else {
            return try await store.due.drop(item)
        }
        for earlier in try await store.schedules.waiting(before: schedule) {
            guard try await carryOutAlone(earlier, in: activity, .schedule(earlier, in: activity)) else {
                return try await store.due.postpone(item, until: store.wallClock() + ScheduleRunner.retryPause)
            }
        }
        _ = try await carryOutAlone(id, in: activity, item)
    }

    /// Carries out one schedule like a call of the API and records the result. The step that records the result also
    /// removes the schedule from the due queue.
    /// - Returns: False if the schedule is retried soon. Later schedules then wait for it.
    private func carryOutAlone(
        _ id: UniqueID, in activity: UniqueID, _ item: DueItem
    ) async throws(StoreError) -> Bool {
        // A schedule that was narrowed since it was read is read again.
        for _ in 0..<5 {
            guard let schedule = try await store.schedules.schedule(id, in: activity), schedule.state == .pending else {
                try await store.due.drop(item)
                return true
            }
            if let isOver = try await concludeIfNotDue(schedule, item) { return isOver }
            guard let request = try await request(schedule, in: activity) else {
                return try await conclude(schedule, .failed, "INTERNAL_ERROR")
            }
            if let isOver = try await send(request, schedule, item) { return isOver }
        }
        return false
    }

    private func conclude(
        _ schedule: Schedule, _ state: Schedule.State, _ reason: String? = nil
    ) async throws(StoreError) -> Bool {
        try await store.schedules.conclude(schedule, state, reason: reason)
        return true
    }

    private func postpone(_ item: DueItem, until time: WallTime) async throws(StoreError) -> Bool {
        try await store.due.postpone(item, until: time)
        return false
    }

    /// Concludes or postpones a schedule that cannot be carried out now.
    /// - Returns: The result of `carryOutAlone`; nil if the schedule can be carried out.
    private func concludeIfNotDue(_ schedule: Schedule, _ item: DueItem) async throws(StoreError) -> Bool? {
        let now = store.wallClock()
        switch ScheduleRules.timing(schedule.deliverAt, expiresAfter: schedule.expiresAfter, now: now) {
        case .later(let time): return try await postpone(item, until: time)
        case .expired: return try await conclude(schedule, .expired)
        case .now: break
        }
        if schedule.kind == .start, try await !carryOutEnd(dueBehind: schedule) { return false }
        if schedule.isUnreadable {
            // Another gateway may have the key: the item is given out again.
            guard schedule.deliverAt + JobStarter.readerTimeout < now else { return false }
            return try await conclude(schedule, .failed, BroadcastTally.OwnReason.contentUnreadable.rawValue)
        }
        guard try await service.jobs.settings.admits(store.tenants.tenant(schedule.tenantID)?.tenant) else {
            return try await conclude(schedule, .failed, "TIER_REQUIRED")
        }
        return nil
    }

    /// Returns the request of a schedule; nil if its content is gone.
    private func request(
        _ schedule: Schedule, in activity: UniqueID
    ) async throws(StoreError) -> BroadcastRequest? {
        guard var request = BroadcastRequest(schedule) else { return nil }
        guard let owner = schedule.owner else { return request }
        request.origin.source = .device
        request.targets = try await store.devices.devices(of: owner, in: activity, tenantID: schedule.tenantID)
        return request
    }

    /// Carries out the request of a schedule.
    /// - Returns: The result of `carryOutAlone`; nil if the schedule has changed and is read again.
    private func send(
        _ request: BroadcastRequest, _ schedule: Schedule, _ item: DueItem
    ) async throws(StoreError) -> Bool? {
        do {
            switch try await service.carryOut(request) {
            case .recorded, .ended, .cancelled:
                await store.schedules.release(schedule)
                return true
            // No device was left, or nothing new to show. A call does not fail for that either.
            case .nobody, .unchanged: return try await conclude(schedule, .done)
            }
        } catch let refusal as BroadcastRefusal {
            if case .scheduleGone = refusal { return nil }
            if let code = refusal.code { return try await conclude(schedule, .failed, code) }
            return try await postpone(item, until: store.wallClock() + ScheduleRunner.retryPause)
        } catch let error as StoreError {
            throw error
        } catch {
            // The gateway stops: the item is given out again.
            return false
        }
    }

    /// Carries out an end of the whole activity that is due while its start still waits. The start is refused then,
    /// because its customer wants nothing on the devices. An end right behind a start would find no device synced.
    /// - Returns: False if the end is retried soon. The start then waits for it.
    private func carryOutEnd(dueBehind start: Schedule) async throws(StoreError) -> Bool {
        let now = store.wallClock()
        let ends = try await store.schedules.waiting(behind: start, until: now).filter {
            $0.kind == .end && ScheduleRules.timing($0.deliverAt, expiresAfter: $0.expiresAfter, now: now) == .now
        }
        for end in ends {
            let whole = try await store.schedules.schedule(end.id, in: end.activityID)
            guard let whole, whole.targets == nil else { continue }
            let state = try await store.activities.activity(end.activityID)?.activity.state
            guard state == .registered else { return true }
            return try await carryOutAlone(end.id, in: end.activityID, end.item)
        }
        return true
    }
}

extension BroadcastRequest {
    /// The broadcast that a due schedule asks for; nil if the schedule no longer holds its content.
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
        // An update that a call asked for at a later time is newer, also if it was recorded first.
        arrived = schedule.deliverAt
    }
}
