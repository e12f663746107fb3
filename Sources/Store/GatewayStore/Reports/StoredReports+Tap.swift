public import LiveActivity
import RedisClient
import TimeCore

/// What a tap on a Live Activity leads to.
public struct TapAttribution: Equatable, Sendable {
    /// The activity that the Live Activity is one of.
    public let activityID: UniqueID
    /// The schedule that last drove the activity for this user, if it was one.
    public let scheduleID: String?
    /// That schedule's name; nil when it has none.
    public let scheduleName: String?
}

extension StoredReports {
    /// Counts a tap on a device's Live Activity, and tells what it belongs to; also for a Live Activity that has ended,
    /// as long as the activity can be read. Nil when the device has no such Live Activity.
    public func tap(
        _ key: DeviceKey, systemActivityID: String, tenantID: String
    ) async throws(StoreError) -> TapAttribution? {
        guard let id = try await activityID(ofLiveActivity: systemActivityID, key, tenantID: tenantID),
            let status = try await reader.status(of: id), status.record.activity.tenantID == tenantID,
            let reply = try await run(Scripts.noteTap, [Keys.activity(id)], [key.insiderID]).array, reply.count == 2
        else { return nil }
        func text(_ value: RedisValue) -> String? { value.string.flatMap { $0.isEmpty ? nil : $0 } }
        return TapAttribution(activityID: id, scheduleID: text(reply[0]), scheduleName: text(reply[1]))
    }

    /// The activity of the Live Activity that iOS calls so on this device.
    func activityID(
        ofLiveActivity systemID: String, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> UniqueID? {
        let field = UserRecord.systemActivityField(systemID)
        let reply = try await value(RedisCommand("HGET", Keys.user(tenantID, key.insiderID), field))
        guard let liveActivity = reply.bytes.flatMap(LiveActivityName.init),
            liveActivity.udid.elementsEqual(key.udid.utf8)
        else { return nil }
        return liveActivity.activity
    }
}
