import GatewayStore
import LiveActivity
import TimeCore

/// The endpoints that devices call now and then; `DeviceReports` has the others.
struct SDKAPI: Sendable {
    let store: any LiveActivityStore
    let schedules: any ScheduleStore
    let topics: any FollowStore
    let service: any BroadcastCarrier
    /// True if a user who dismisses the Live Activity of a topic unfollows the topic.
    let dismissUnfollows: Bool
    let clock: @Sendable () -> WallTime

    /// A Live Activity is gone: its device gets no further push for it.
    func dismissed(_ request: DeviceRequest) async throws -> Reply {
        let systemID = try request.body.systemActivityID()
        guard let reference = try request.body.namedActivity() ?? systemID.map({ ActivityReference.system($0) }) else {
            throw APIError(
                .activityIDRequired, "activity_id, topic, system_activity_id or activity_type is required")
        }
        let outcome = try await store.dismiss(
            request.key, reference: reference, name: systemID, token: try request.body.optionalToken(),
            tenantID: request.tenantID
        ) { user, activity throws(StoreError) in
            if dismissUnfollows { try await topics.unfollow(user, topicOf: activity) }
        }
        switch outcome {
        case .dismissed(let dismissal):
            return .success { $0.field("activity_id", dismissal.activityID.description) }
        case .notFound: throw APIError.noSuchLiveActivity
        case .ambiguous(let candidates): throw APIError(ambiguous: candidates)
        }
    }
}

/// A device's request that has been let in, for the device that its identity was checked for.
struct DeviceRequest: Sendable {
    let tenantID: String
    /// Whose share of what the gateway has it uses up.
    let claimant: Claimant
    let limits: TenantLimits
    let key: DeviceKey
    let body: JSONValue
    let givenKey: GivenKey?
}

/// A device's question that has been let in.
struct DeviceQuery: Sendable {
    let tenantID: String
    let key: DeviceKey
}

extension JSONValue {
    /// The device that a report is for.
    func deviceKey() throws -> DeviceKey {
        DeviceKey(insiderID: try name("insider_id"), udid: try name("udid"))
    }

    /// A part of a device's name.
    func name(_ field: String) throws -> String { try JSONValue.name(try optionalString(field), field) }

    /// A name that a device gives.
    static func name(_ name: String?, _ field: String) throws -> String {
        guard let name, DeviceKey.isName(name) else { throw invalidName(field) }
        return name
    }

    static func invalidName(_ field: String) -> APIError {
        APIError.invalid(field, "a string of 1 to \(DeviceKey.maximumLength) bytes without NUL, and not . or ..")
    }
}
