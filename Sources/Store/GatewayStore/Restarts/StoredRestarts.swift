/// Starts of devices that have no Live Activity (any more), one at a time for an activity.
public final class StoredRestarts: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let devices: StoredDevices
    let activities: StoredActivities
    let broadcasts: StoredBroadcasts
    let reader: ActivityReader

    init(
        _ context: StoreContext, roster: StoredRoster, devices: StoredDevices, activities: StoredActivities,
        broadcasts: StoredBroadcasts, reader: ActivityReader
    ) {
        self.context = context
        self.roster = roster
        self.devices = devices
        self.activities = activities
        self.broadcasts = broadcasts
        self.reader = reader
    }
}
