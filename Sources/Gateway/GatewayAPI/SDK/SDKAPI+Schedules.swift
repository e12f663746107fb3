import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

extension SDKAPI {
    /// Schedules an update or end of a Live Activity that the app opened by itself, for its user's devices.
    func schedule(_ request: DeviceRequest) async throws -> Reply {
        try await once(request) { try await schedule(request, $0) }
    }

    /// Cancels the user's schedules, or one of them. Schedules of others are not affected.
    func cancelSchedules(_ request: DeviceRequest) async throws -> Reply {
        try await once(request) { _ in try await cancel(request) }
    }

    /// Carries a request out once per key. The key of a device outside the activity is not stored.
    private func once(_ request: DeviceRequest, _ handler: (UniqueID) async throws -> Reply) async throws -> Reply {
        guard let key = request.givenKey else { return try await handler(.random()) }
        if try await !key.isKnown() { _ = try await opened(request) }
        return try await key.carryOut(Array(request.body.slice), handler)
    }

    /// - Parameter id: The id of the schedule, which may exist already.
    private func schedule(_ request: DeviceRequest, _ id: UniqueID) async throws -> Reply {
        let fields = try ScheduleFields(of: request)
        let now = clock()
        try fields.requireFresh(now: now)
        let record = try await opened(request)
        let activity = record.activity
        let payload = try fields.payload(for: record, service)
        var schedule = fields.schedule(of: activity, payload, id: id, now: now)
        guard ScheduleRules.allows(schedule.deliverAt, endsAt: activity.endsAt, now: now) else {
            throw APIError.invalid("offset", "a time before the activity ends (\(activity.endsAt.rfc3339))")
        }
        switch try await schedules.add(schedule, to: activity, request.limits) {
        case .added: break
        // A repetition of an interrupted request gets the first one's time.
        case .known: schedule = try await schedules.schedule(id, in: activity.id) ?? schedule
        case .ended: throw APIError.noSuchLiveActivity
        case .full: throw APIError.schedulesUsedUp
        }
        return .success { writer in
            writer.field("activity_id", activity.id.description)
            writer.field("schedule_id", schedule.id.description)
            writer.field("deliver_at", schedule.deliverAt.rfc3339)
        }
    }

    private func cancel(_ request: DeviceRequest) async throws -> Reply {
        // An empty text matches no schedule, rather than all.
        let id = try request.body.optionalString("schedule_id").map { UniqueID($0) }
        let activity = try await opened(request).activity
        var waiting = try await schedules.schedules(of: activity.id, owner: request.key.insiderID)
        if let id { waiting = waiting.filter { $0.id == id } }
        var dropped = 0
        for schedule in waiting where try await schedules.cancel(schedule) { dropped += 1 }
        return .success { $0.field("canceled", dropped) }
    }

    /// Returns the activity of the request if its device is in it.
    private func opened(_ request: DeviceRequest) async throws -> ActivityRecord {
        let name = try ExternalName(of: request)
        guard
            let record = try await store.deviceInitiatedActivity(name, of: request.key, tenantID: request.tenantID)
        else { throw APIError.noSuchLiveActivity }
        return record
    }
}

extension ExternalName {
    /// Parses the name of an activity that the device's app opened.
    init(of request: DeviceRequest) throws {
        let type = try request.body.activityType()
        guard let id = try request.body.externalID() else {
            throw APIError(.activityIDRequired, "external_id is required: the app's id of the activity")
        }
        self.init(id, type: type, owner: try request.body.isUsersOwn() ? request.key.insiderID : nil)
    }
}

extension APIError {
    fileprivate static var schedulesUsedUp: APIError {
        var error = APIError(
            .quotaExceeded,
            "quota schedules_per_user: a user can have \(ScheduleRules.maximumPendingOfUser) pending schedules of an activity"
        )
        error.quota = "schedules_per_user"
        return error
    }
}
