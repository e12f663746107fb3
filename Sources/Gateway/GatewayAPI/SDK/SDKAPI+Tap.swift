import GatewayStore
import LiveActivity

extension SDKAPI {
    /// A Live Activity was tapped: the app learns what it belongs to.
    func tap(_ request: DeviceRequest) async throws -> Reply {
        guard let systemID = try request.body.systemActivityID() else {
            throw APIError.invalid("system_activity_id", "a string of 1 to 128 bytes")
        }
        guard
            let tap = try await store.tap(request.key, systemActivityID: systemID, tenantID: request.tenantID)
        else { throw APIError.noSuchLiveActivity }
        return .success { writer in
            writer.field("activity_id", tap.activityID.description)
            writer.field("schedule_id", tap.scheduleID)
            writer.field("schedule_name", tap.scheduleName)
        }
    }
}
