import GatewayStore
import LiveActivity
import TimeCore

/// Stores topics.
protocol TopicStore: Sendable {
    /// Nil if it does not exist.
    func topic(_ id: TopicID) async throws(StoreError) -> TopicRecord?

    /// Returns the contents of a topic after a write.
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

/// Stores the owners' lists of followers.
protocol FollowerStore: Sendable {
    /// Returns the number of users on the owner's list.
    func listed(_ id: TopicID) async throws(StoreError) -> Int

    /// The number of followers who are due in the topic's queue.
    func queued(_ id: TopicID) async throws(StoreError) -> Int

    /// Returns a page of the followers.
    func followers(
        of topic: TopicRecord, limit: Int, after: String?
    ) async throws(StoreError) -> (followers: [StoredFollowers.Follower], next: String?)

    /// Records a change of the owner's list. While the topic is live, added and removed users are processed.
    func listChanged(_ id: TopicID) async throws(StoreError)
}

extension StoredFollowers: FollowerStore {}

/// Reads and changes the topics that a device's user follows.
protocol FollowStore: Sendable {
    func followed(_ key: DeviceKey, tenantID: String) async throws(StoreError) -> [StoredFollowers.FollowedTopic]

    func unfollow(_ insiderID: String, topicOf activity: UniqueID) async throws(StoreError)
}

extension StoredFollowers: FollowStore {}
