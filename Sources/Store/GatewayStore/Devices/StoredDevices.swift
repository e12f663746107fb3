/// Devices, by their users: what they are, and their push-to-start tokens.
public final class StoredDevices: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let topics: TopicQueues

    init(_ context: StoreContext, roster: StoredRoster, topics: TopicQueues) {
        self.context = context
        self.roster = roster
        self.topics = topics
    }
}
