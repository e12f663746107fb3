import GatewayStore
import LiveActivity

extension SDKAPI {
    /// A Live Activity was tapped: the app learns what it belongs to.
    func tap(_ request: DeviceRequest) async throws -> Reply {
        let systemID = try request.body.systemActivityID()
        let reference = try request.body.activityByIDOrTopic(type: nil)
        guard systemID != nil || reference != nil else {
            throw APIError(.validationFailed, "system_activity_id, activity_id or topic is required")
        }
        let tapID = try request.body.optionalString("tap_id")
        guard (1...StoredReports.longestTapID).contains(tapID?.utf8.count ?? 1) else {
            throw APIError.invalid("tap_id", "a string of 1 to \(StoredReports.longestTapID) bytes")
        }
        guard
            let tap = try await store.tap(
                request.key, systemActivityID: systemID, reference: reference, tapID: tapID, tenantID: request.tenantID)
        else { throw APIError.noSuchLiveActivity }
        return .success { writer in
            writer.field("activity_id", tap.activityID.description)
            writer.field("schedule_id", tap.scheduleID)
            writer.field("schedule_name", tap.scheduleName)
        }
    }
}
