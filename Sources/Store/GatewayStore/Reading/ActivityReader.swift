/// Reads activities and their devices for customers.
public final class ActivityReader: StoreFeature {
    let context: StoreContext
    let activities: StoredActivities
    let devices: StoredDevices
    let broadcasts: StoredBroadcasts

    init(_ context: StoreContext, activities: StoredActivities, devices: StoredDevices, broadcasts: StoredBroadcasts) {
        self.context = context
        self.activities = activities
        self.devices = devices
        self.broadcasts = broadcasts
    }
}
