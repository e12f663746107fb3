/// The activities of topics: made for all followers, joined by those who come later, and looked through for those who
/// have lost their Live Activity.
public final class StoredTopicActivities: StoreFeature {
    let context: StoreContext
    let queues: TopicQueues
    let followers: StoredFollowers
    let roster: StoredRoster
    let devices: StoredDevices
    let activities: StoredActivities
    /// Followers without a start whose driver is gone.
    public let unstarted: UnstartedFollowers

    init(
        _ context: StoreContext, queues: TopicQueues, followers: StoredFollowers, roster: StoredRoster,
        devices: StoredDevices, activities: StoredActivities
    ) {
        self.context = context
        self.queues = queues
        self.followers = followers
        self.roster = roster
        self.devices = devices
        self.activities = activities
        unstarted = UnstartedFollowers(context, followers: followers, roster: roster)
    }
}
