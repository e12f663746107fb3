import GatewayStore
import LiveActivity
import TimeCore

/// Keeps topics.
protocol TopicStore: Sendable {
    /// Nil when there is none.
    func topic(_ id: TopicID) async throws(StoreError) -> TopicRecord?

    /// The contents that a topic would have after a write.
    func contents(of present: TopicRecord?, after write: TopicWrite, _ id: TopicID) -> TopicContents

    func put(
        _ write: TopicWrite, to id: TopicID, over present: TopicRecord?
    ) async throws(StoreError) -> TopicChange

    func topics(
        tenantID: String, state: TopicState?, limit: Int, after: String?
    ) async throws(StoreError) -> (topics: [TopicRecord], next: String?)

    func delete(_ id: TopicID) async throws(StoreError) -> StoredTopics.Deletion
}

extension StoredTopics: TopicStore {}

/// Keeps the lists of topics' owners.
protocol FollowerStore: Sendable {
    /// How many users are on the owner's list.
    func listed(_ id: TopicID) async throws(StoreError) -> Int

    /// The number of followers who are due in the topic's queue.
    func queued(_ id: TopicID) async throws(StoreError) -> Int

    /// A page of the followers.
    func followers(
        of topic: TopicRecord, limit: Int, after: String?
    ) async throws(StoreError) -> (followers: [StoredFollowers.Follower], next: String?)

    /// The owner's list has changed: users who were put on it or taken off it are seen to while the topic is live.
    func listChanged(_ id: TopicID) async throws(StoreError)
}

extension StoredFollowers: FollowerStore {}

/// What devices ask and say of topics now and then.
protocol FollowStore: Sendable {
    func followed(_ key: DeviceKey, tenantID: String) async throws(StoreError) -> [StoredFollowers.FollowedTopic]

    func unfollow(_ insiderID: String, topicOf activity: UniqueID) async throws(StoreError)
}

extension StoredFollowers: FollowStore {}
