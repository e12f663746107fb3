import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

extension CustomerAPI {
    func register(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let type = try body.activityType()
        let source = try registrationSource(body)
        var registration = StoredActivities.Registration(type: type, endsAt: try endsAt(body))
        registration.label = try body.label()
        try read(body, into: &registration, request.tenantID)
        registration.served = service.routeKinds(of: request.tenantID)
        let (report, unprocessed) = try await register(registration, source, request.tenantID)
        guard let id = report.activityID else { throw noEligibleDevice(report) }
        return .success { writer in
            writer.field("activity_id", id.description)
            writer.registration(report, unprocessed: unprocessed)
        }
    }

    func addUsers(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let type = try body.activityType()
        let id = try body.activityID()
        let (ids, unprocessed) = try body.insiderIDs(maximum: settings.maximumInsiderIDs)
        let report = try await change(id, .addUsers, type, request.tenantID) {
            try await store.activities.addUsers(ids, to: $0, served: service.routeKinds(of: request.tenantID))
        }
        if report.devices == 0, !report.skipped.isEmpty { throw noEligibleDevice(report) }
        return .success { $0.registration(report, unprocessed: unprocessed) }
    }

    func removeUsers(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let type = try body.activityType()
        let id = try body.activityID()
        let (ids, _) = try body.insiderIDs(maximum: settings.maximumInsiderIDs)
        let removed = try await change(id, .removeUsers, type, request.tenantID) {
            try await store.activities.removeUsers(ids, from: $0)
        }
        return .success { writer in
            writer.field("removed_users", removed.users)
            writer.field("removed_devices", removed.devices)
        }
    }

    /// Changes a segment, in turn with others who do.
    private func change<Report>(
        _ id: UniqueID?, _ command: ActivityCommand, _ type: String, _ tenantID: String,
        _ body: (UniqueID) async throws -> StoredActivities.SegmentChange<Report>
    ) async throws -> Report {
        let tries = Tries()
        repeat {
            let record = try await activity(id, for: command, type: type, tenantID)
            switch try await body(record.activity.id) {
            case .changed(let report): return report
            case .refused: throw try await moved(id, command, type, tenantID)
            case .busy: break
            }
        } while try await tries.next()
        throw try await moved(id, command, type, tenantID)
    }

    /// The error for an activity that has changed its state since it was read.
    func moved(
        _ id: UniqueID?, _ command: ActivityCommand, _ type: String, _ tenantID: String
    ) async throws -> APIError {
        do {
            _ = try await activity(id, for: command, type: type, tenantID)
        } catch let error as APIError {
            return error
        }
        return APIError(.storeUnavailable, "another request is changing the activity; try again", retryAfter: 1)
    }

    /// Below a second, timestamps would run ahead of the clock; above, `broadcast.min_interval` ends there as well.
    private static let updateIntervals: ClosedRange<Int64> = 1...30

    private func endsAt(_ body: JSONValue) throws -> WallTime {
        guard let text = try body.optionalString("ends_at"), let time = WallTime(rfc3339: text) else {
            throw try body.refusal("ends_at", "an RFC 3339 time like 2030-01-31T18:30:00Z")
        }
        switch Lifecycle.refusal(endsAt: time, now: clock()) {
        case nil: return time
        case .inPast: throw APIError(.endsAtInPast, "ends_at must be in the future")
        case .tooSoon: throw APIError(.endsAtTooSoon, "ends_at must be at least 5 minutes from now")
        case .tooFar: throw APIError(.endsAtTooFar, "ends_at must be at most 7 days from now")
        }
    }

    /// Reads the options of an activity.
    private func read(
        _ body: JSONValue, into registration: inout StoredActivities.Registration, _ tenantID: String
    ) throws {
        let options = try body.optionalObject("options")
        registration.channelUse = try ChannelUse(options, isOffered: service.offersChannels(to: tenantID))
        guard let options else { return }
        registration.catchesUp = try options.optionalBool("catch_up", path: "options.catch_up") ?? false
        registration.healing = try Healing(options)
        registration.minimumInterval = try options.number(
            "min_update_interval", path: "options.min_update_interval", in: CustomerAPI.updateIntervals
        ).map { .seconds(Int($0)) }
        registration.activityIDAttribute = try options.activityIDAttribute()
    }

    private func noEligibleDevice(_ report: RegistrationReport) -> APIError {
        var error = APIError(
            .noEligibleDevice, "no user has an eligible device; skipped has the reasons", skipped: report.skipped)
        if !report.gdprDenied.isEmpty { error.gdprDenied = report.gdprDenied }
        return error
    }
}

extension JSONObjectWriter {
    fileprivate mutating func registration(_ report: RegistrationReport, unprocessed: Int) {
        field("registered_users", report.users)
        field("registered_devices", report.devices)
        field("partial", report.isPartial || unprocessed > 0)
        skipped(report.skipped)
        gdprDenied(report.gdprDenied)
        field("unprocessed_insider_id_count", unprocessed)
    }
}
