public import LiveActivity
import RedisClient
import TimeCore

/// Activities: what is recorded of each, their segments as they are registered, and the index that lists them.
public final class StoredActivities: StoreFeature {
    let context: StoreContext
    let opened: OpenedActivities
    let roster: StoredRoster
    let devices: StoredDevices
    let segments: StoredSegments

    init(
        _ context: StoreContext, roster: StoredRoster, devices: StoredDevices, segments: StoredSegments,
        opened: OpenedActivities
    ) {
        self.context = context
        self.opened = opened
        self.roster = roster
        self.devices = devices
        self.segments = segments
    }

    /// An activity of any tenant by its id; nil if there is none.
    public func activity(_ id: UniqueID) async throws(StoreError) -> ActivityRecord? {
        ActivityRecord(id, try await value(RedisCommand("HGETALL", Keys.activity(id))).fields)
    }

    /// Longer than anything of an activity is kept.
    static let indexHours: Int64 = 9 * 24 + 1

    /// Lists an activity that is about to be made. An entry that no activity follows is passed over.
    func addToIndex(_ activity: Activity) async throws(StoreError) {
        let entry = ActivityIndexEntry(createdAt: activity.createdAt, id: activity.id)
        let key =
            activity.externalID == nil
            ? Keys.activityIndex(activity.tenantID, hour: entry.hour)
            : Keys.deviceActivityIndex(activity.tenantID, hour: entry.hour)
        _ = try await value(context.listing(entry, in: key))
    }
}

extension StoreContext {
    /// Puts an entry into the index of an hour, which goes by itself when all of its activities have gone.
    func listing(_ entry: ActivityIndexEntry, in index: String) -> RedisCommand {
        let expiresAt = (entry.hour + 1 + StoredActivities.indexHours) * ActivityIndexEntry.millisecondsPerHour
        return RedisCommand(
            script: Scripts.listActivity, keys: [index, Keys.activityIndexParts(index)],
            arguments: [entry.bytes, expiresAt])
    }

    /// Takes an entry out of the index of its hour.
    func unlisting(_ entry: ActivityIndexEntry, from index: String) -> RedisCommand {
        RedisCommand(
            script: Scripts.unlistActivities, keys: [index, Keys.activityIndexParts(index)], arguments: [entry.bytes])
    }
}
