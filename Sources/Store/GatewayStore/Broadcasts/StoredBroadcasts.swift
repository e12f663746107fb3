/// Broadcasts: begun in one atomic step, read with the counts so far.
public final class StoredBroadcasts: StoreFeature {
    let context: StoreContext
    let activities: StoredActivities

    init(_ context: StoreContext, activities: StoredActivities) {
        self.context = context
        self.activities = activities
    }
}
