import Reactor

/// Jobs: who works on which part of a broadcast, and how far it is.
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
