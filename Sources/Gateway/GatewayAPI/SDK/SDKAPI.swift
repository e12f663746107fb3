import GatewayStore
import LiveActivity
import TimeCore

/// The endpoints that devices call now and then; `DeviceReports` has the others.
struct SDKAPI: Sendable {
    let store: any LiveActivityStore
    let schedules: any ScheduleStore
    let topics: any FollowStore
    let service: any BroadcastCarrier
    /// Whether whoever dismisses the Live Activity of a topic follows it no more.
    let dismissUnfollows: Bool
    let clock: @Sendable () -> WallTime

    /// A Live Activity is gone: its device gets no further push for it.
    func dismissed(_ request: DeviceRequest) async throws -> Reply {
        let systemID = try request.body.systemActivityID()
        let reference: ActivityReference
        if let text = try request.body.text("activity_id") {
            guard let id = UniqueID(text) else { throw APIError.noSuchLiveActivity }
            reference = .id(id, type: nil)
        } else if let systemID {
            reference = .system(systemID)
        } else {
            throw APIError(.activityIDRequired, "activity_id or system_activity_id is required")
        }
        let dismissal = try await store.dismiss(
            request.key, reference: reference, name: systemID, tenantID: request.tenantID)
        guard let dismissal else { throw APIError.noSuchLiveActivity }
        if dismissUnfollows, dismissal.isOfRunning {
            try await topics.unfollow(request.key.insiderID, topicOf: dismissal.activityID)
        }
        return .success { $0.field("activity_id", dismissal.activityID.description) }
    }
}

/// A device's request that has been let in, for the device that its identity was checked for.
struct DeviceRequest: Sendable {
    let tenantID: String
    /// Whose share of what the gateway has it uses up.
    let claimant: Claimant
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
        APIError.invalid(field, "a string of 1 to \(DeviceKey.maximumLength) bytes")
    }
}
