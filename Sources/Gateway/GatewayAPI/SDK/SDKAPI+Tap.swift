import GatewayStore
import LiveActivity

extension SDKAPI {
    /// A Live Activity was tapped: the app learns what it belongs to.
    func tap(_ request: DeviceRequest) async throws -> Reply {
        guard let systemID = try request.body.systemActivityID() else {
            throw APIError.invalid("system_activity_id", "a string of 1 to 128 bytes")
        }
        let tapID = try request.body.optionalString("tap_id")
        guard (1...StoredReports.longestTapID).contains(tapID?.utf8.count ?? 1) else {
            throw APIError.invalid("tap_id", "a string of 1 to \(StoredReports.longestTapID) bytes")
        }
        guard
            let tap = try await store.tap(
                request.key, systemActivityID: systemID, tapID: tapID, tenantID: request.tenantID)
        else { throw APIError.noSuchLiveActivity }
        return .success { writer in
            writer.field("activity_id", tap.activityID.description)
            writer.field("schedule_id", tap.scheduleID)
            writer.field("schedule_name", tap.scheduleName)
        }
    }
}
