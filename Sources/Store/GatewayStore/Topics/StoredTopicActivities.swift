/// The activities of topics. All followers are in the segment, later ones join, and lost Live Activities are started
/// again.
public final class StoredTopicActivities: StoreFeature {
    let context: StoreContext
    let queues: TopicQueues
    let followers: StoredFollowers
    let roster: StoredRoster
    let devices: StoredDevices
    let activities: StoredActivities
    let places: TopicPlaces
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
        places = TopicPlaces(context, roster: roster)
        unstarted = UnstartedFollowers(context, followers: followers, roster: roster)
    }
}
