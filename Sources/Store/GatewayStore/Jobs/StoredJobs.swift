import Reactor

/// The jobs of broadcasts, with their holders and progress.
public final class StoredJobs: StoreFeature {
    let context: StoreContext
    let activities: StoredActivities
    let broadcasts: StoredBroadcasts
    let events: StoredEvents
    let pages: StoredPages
    let vanished = Locked(0)

    init(
        _ context: StoreContext, activities: StoredActivities, broadcasts: StoredBroadcasts, events: StoredEvents,
        pages: StoredPages
    ) {
        self.context = context
        self.activities = activities
        self.broadcasts = broadcasts
        self.events = events
        self.pages = pages
    }
}
