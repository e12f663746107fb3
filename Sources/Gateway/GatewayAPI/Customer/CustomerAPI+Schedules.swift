import Broadcasts
import Delivery
import GatewayStore
import Hummingbird
import LiveActivity
import TimeCore

extension CustomerAPI {
    /// Schedules a start, update or end.
    func schedule(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let fields = try ScheduleFields(body, tenantID: request.tenantID)
        let now = clock()
        try fields.requireFresh(now: now)
        // A start is checked now, because waiting cures no fault of it. Updates may be scheduled before the start, so
        // the rules of an end apply to them. These allow every state of a living activity.
        let record = try await livingActivity(
            fields.activity, body, request.tenantID, for: fields.kind == .start ? .start : .end)
        let activity = record.activity
        let payload = try fields.payload(for: record, service)
        let schedule = fields.schedule(of: activity, payload, id: request.broadcastID, now: now)
        guard ScheduleRules.allows(schedule.deliverAt, endsAt: activity.endsAt, now: now) else {
            throw APIError.invalid(
                fields.time.name, "a future time before the activity's ends_at (\(activity.endsAt.rfc3339))")
        }
        switch try await store.schedules.add(schedule, to: activity, request.limits) {
        case .added: return CustomerAPI.scheduled(schedule)
        // In a repetition of a request that was cut off, the time of the first one counts.
        case .known:
            return CustomerAPI.scheduled(try await store.schedules.schedule(schedule.id, in: activity.id) ?? schedule)
        case .ended: throw APIError(ActivityRefusal.notFound)
        case .full:
            throw APIError(
                .validationFailed,
                "schedule: the activity has the maximum of \(ScheduleRules.maximumPending) pending schedules; cancel one first"
            )
        }
    }

    private static func scheduled(_ schedule: Schedule) -> Reply {
        .success { writer in
            writer.field("schedule_id", schedule.id.description)
            writer.field("deliver_at", schedule.deliverAt.rfc3339)
        }
    }

    /// Cancels waiting schedules: all of the activity, one, or those for some devices. A schedule that has other
    /// devices too loses the named ones. Schedules of users' apps name no devices.
    func cancelSchedules(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        // An empty text names none, rather than all.
        let id = try body.optionalString("schedule_id").map { UniqueID($0) }
        let targets = try body.targetDevices().map(Set.init)
        let activity = try await livingActivity(try NamedActivity(body), body, request.tenantID).activity
        var schedules = try await store.schedules.schedules(of: activity.id, pending: true)
        if let id { schedules = schedules.filter { $0.id == id } }
        var (dropped, narrowed) = (0, 0)
        for schedule in schedules {
            switch try await cancel(schedule, for: targets) {
            case .untouched: break
            case .dropped: dropped += 1
            case .narrowed: narrowed += 1
            }
        }
        if targets == nil { dropped += try await cancelUsersSchedules(of: activity.id, id) }
        return .success { writer in
            writer.field("canceled", dropped)
            if narrowed > 0 { writer.field("narrowed", narrowed) }
        }
    }

    /// Cancels the schedules of users' apps: all, or the given one.
    private func cancelUsersSchedules(of activity: UniqueID, _ id: UniqueID??) async throws -> Int {
        guard let id else { return try await store.schedules.cancelUsersSchedules(of: activity) }
        guard let id, let schedule = try await store.schedules.schedule(id, in: activity), schedule.owner != nil
        else { return 0 }
        return try await store.schedules.cancel(schedule) ? 1 : 0
    }

    /// - Parameter listed: the schedule as lists have it, without its devices.
    private func cancel(
        _ listed: Schedule, for devices: Set<DeviceKey>?
    ) async throws -> ScheduleRules.Cancelling {
        if devices == nil, try await store.schedules.cancel(listed) { return .dropped }
        // Another call may change it at the same moment.
        for _ in 0..<5 {
            guard let schedule = try await store.schedules.schedule(listed.id, in: listed.activityID),
                schedule.state == .pending
            else { return .untouched }
            let change = devices.map { ScheduleRules.cancelling(schedule.targets, for: $0) } ?? .dropped
            switch change {
            case .untouched: return change
            case .dropped: if try await store.schedules.cancel(schedule) { return change }
            case .narrowed(let left): if try await store.schedules.narrow(schedule, to: left) { return change }
            }
        }
        return .untouched
    }

    /// The schedules of an activity: those that wait, in the order of their times, then those that have ended, the
    /// newest first.
    func schedules(_ request: CustomerRequest) async throws -> Reply {
        guard let id = try await id(of: try NamedActivity(request.query), request.tenantID),
            let record = try await store.activities.activity(id),
            record.activity.tenantID == request.tenantID
        else { throw APIError(ActivityRefusal.notFound) }
        let pending = try await store.schedules.schedules(of: id, pending: true).filter { $0.state == .pending }
        let ended = try await store.schedules.schedules(of: id, pending: false)
        let ofUsers = try await store.schedules.countOfUsersSchedules(of: id)
        return .success { writer in
            writer.field("activity_id", id.description)
            writer.array("schedules") { array in
                for schedule in pending + ended { array.object { $0.schedule(schedule) } }
            }
            if ofUsers > 0 { writer.field("user_schedules", ofUsers) }
        }
    }

    /// The living activity that the request names. A given type must be that of the activity.
    private func livingActivity(
        _ activity: NamedActivity, _ body: JSONValue, _ tenantID: String, for command: ActivityCommand = .end
    ) async throws -> ActivityRecord {
        let type = try body.optionalActivityType()
        return try await self.activity(try await id(of: activity, tenantID), for: command, type: type, tenantID)
    }
}

extension JSONObjectWriter {
    fileprivate mutating func schedule(_ schedule: Schedule) {
        field("schedule_id", schedule.id.description)
        field("name", schedule.name)
        field("event", schedule.kind.rawValue)
        field("state", schedule.state.rawValue)
        field("deliver_at", schedule.deliverAt.rfc3339)
        field("created_at", schedule.createdAt.rfc3339)
        field("finished_at", schedule.endedAt?.rfc3339)
        field("broadcast_id", schedule.broadcastID?.description)
        field("reason", schedule.reason)
    }
}
