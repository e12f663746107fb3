/// Broadcasts: begun in one atomic step, read with the counts so far.
public final class StoredBroadcasts: StoreFeature {
    let context: StoreContext
    let activities: StoredActivities
    let switches: EventSwitches

    init(_ context: StoreContext, activities: StoredActivities, events: StoredEvents) {
        self.context = context
        self.activities = activities
        switches = events.switches
    }
}
