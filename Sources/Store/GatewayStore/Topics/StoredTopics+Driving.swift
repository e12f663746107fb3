public import LiveActivity
import RedisClient
public import TimeCore

/// A lease to drive a topic.
public struct TopicLease: Sendable {
    /// The topic.
    public let topic: TopicID
    let token: String

    /// Creates a lease that is not taken yet, see `StoredTopics.take`.
    public init(_ topic: TopicID) {
        self.topic = topic
        token = UniqueID.random().description
    }
}

extension StoredTopics {
    /// The life of a lease, which the driver renews.
    static let leaseLife = TimeInterval.seconds(5)

    /// The result of taking a lease.
    public enum Lease: Sendable {
        case mine(TopicRecord)
        /// Another gateway drives the topic. If that gateway is lost, the topic is due when its lease expires.
        case others
        case noTopic
    }

    /// Takes or renews a lease, and reads the topic.
    public func take(_ lease: TopicLease) async throws(StoreError) -> Lease {
        let now = wallClock()
        let call = Scripts.leaseTopic(
            topic: Keys.topic(lease.topic), due: Keys.due(lease.topic.shard), driver: lease.token,
            item: lease.topic.description, now: now.milliseconds,
            untilThen: (now + StoredTopics.leaseLife).milliseconds)
        switch try await run(call) {
        case .noTopic: return .noTopic
        case .taken(let due):
            noteDue(lease.topic.shard, at: Int64(due))
            return .others
        case .leased(let topic): return TopicRecord(lease.topic, topic).map { .mine($0) } ?? .noTopic
        }
    }

    /// Releases a lease. Returns false if there is work for the topic now.
    /// - Parameters:
    ///   - version: The content version that the caller has processed.
    ///   - next: The latest due time while the topic is live.
    ///   - isForced: True to release it until then in any case.
    public func release(
        _ lease: TopicLease, seenTo version: Int, next: WallTime, isForced: Bool = false
    ) async throws(StoreError) -> Bool {
        let due = try await run(
            Scripts.releaseTopic(
                topic: Keys.topic(lease.topic), due: Keys.due(lease.topic.shard), driver: lease.token,
                item: lease.topic.description, version: version, now: wallClock().milliseconds,
                next: next.milliseconds, hurry: isForced ? "1" : ""))
        if due > 1 { noteDue(lease.topic.shard, at: Int64(due)) }
        return due > 0
    }

    /// Records that the activity has ended without a write of the topic, or (nil) that there can be none.
    /// - Parameter reason: The name of the reason.
    public func conclude(_ lease: TopicLease, _ activity: UniqueID?, reason: String) async throws(StoreError) {
        _ = try await run(
            Scripts.concludeTopic(
                topic: Keys.topic(lease.topic), driver: lease.token, activity: activity?.description ?? "",
                reason: reason, now: wallClock().milliseconds))
    }

    /// Records the activity that is about to be made; nil for none.
    /// - Returns: False if the lease is lost, and the former candidate.
    public func nameCandidate(
        _ id: UniqueID?, _ lease: TopicLease
    ) async throws(StoreError) -> (isHeld: Bool, former: UniqueID?) {
        let call = Scripts.noteCandidate(
            topic: Keys.topic(lease.topic), driver: lease.token, activity: id?.description ?? "")
        switch try await run(call) {
        case .lost: return (false, nil)
        case .noted(let former): return (true, UniqueID(former))
        }
    }
}

extension StoredTopics {
    /// True if no gateway drives a topic and no follower is due. For tests.
    package func isSettled(_ id: TopicID) async throws(StoreError) -> Bool {
        let replies = try await values([
            RedisCommand("HEXISTS", Keys.topic(id), "driver"),
            RedisCommand("ZCOUNT", Keys.topicQueue(id), "-inf", wallClock().milliseconds),
        ])
        return replies.allSatisfy { $0.int == 0 }
    }
}
