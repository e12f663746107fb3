public import LiveActivity
import RedisClient
import TimeCore

/// Activities: their records, the registration of their segments, and the index that lists them.
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

    /// The life of an index after its hour, in hours. It is longer than any data of an activity is kept.
    static let indexHours: Int64 = 9 * 24 + 1

    /// Adds an activity that is about to be made to the index. Readers skip an entry without an activity.
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
    /// Returns the command that adds an entry to the index of an hour, which expires after its activities.
    func listing(_ entry: ActivityIndexEntry, in index: String) -> RedisCommand {
        let expiresAt = (entry.hour + 1 + StoredActivities.indexHours) * ActivityIndexEntry.millisecondsPerHour
        let call = Scripts.listActivity(
            index: index, parts: Keys.activityIndexParts(index), entry: entry.bytes, expiresAt: expiresAt)
        return call.command
    }

    /// Returns the command that removes an entry from the index of its hour.
    func unlisting(_ entry: ActivityIndexEntry, from index: String) -> RedisCommand {
        let call = Scripts.unlistActivities(
            index: index, parts: Keys.activityIndexParts(index), entries: [entry.bytes])
        return call.command
    }
}
