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
        let reply = try await run(
            Scripts.leaseTopic, [Keys.topic(lease.topic), Keys.due(lease.topic.shard)],
            [
                lease.token, lease.topic.description, now.milliseconds,
                (now + StoredTopics.leaseLife).milliseconds,
            ])
        if let due = reply.int {
            noteDue(lease.topic.shard, at: due)
            return .others
        }
        return TopicRecord(lease.topic, reply.fields).map { .mine($0) } ?? .noTopic
    }

    /// Releases a lease. Returns false if there is work for the topic now.
    /// - Parameters:
    ///   - version: The content version that the caller has processed.
    ///   - next: The latest due time while the topic is live.
    ///   - isForced: True to release it until then in any case.
    public func release(
        _ lease: TopicLease, seenTo version: Int, next: WallTime, isForced: Bool = false
    ) async throws(StoreError) -> Bool {
        let reply = try await run(
            Scripts.releaseTopic, [Keys.topic(lease.topic), Keys.due(lease.topic.shard)],
            [
                lease.token, lease.topic.description, version, wallClock().milliseconds, next.milliseconds,
                isForced ? "1" : "",
            ])
        guard let due = reply.int, due > 0 else { return false }
        if due > 1 { noteDue(lease.topic.shard, at: due) }
        return true
    }

    /// Records that the activity has ended without a write of the topic, or (nil) that there can be none.
    /// - Parameter reason: The name of the reason.
    public func conclude(_ lease: TopicLease, _ activity: UniqueID?, reason: String) async throws(StoreError) {
        _ = try await run(
            Scripts.concludeTopic, [Keys.topic(lease.topic)],
            [lease.token, activity?.description ?? "", reason, wallClock().milliseconds])
    }

    /// Records the activity that is about to be made; nil for none.
    /// - Returns: False if the lease is lost, and the former candidate.
    public func nameCandidate(
        _ id: UniqueID?, _ lease: TopicLease
    ) async throws(StoreError) -> (isHeld: Bool, former: UniqueID?) {
        let reply = try await run(
            Scripts.noteCandidate, [Keys.topic(lease.topic)], [lease.token, id?.description ?? ""])
        return (reply.int != -1, reply.string.flatMap { UniqueID($0) })
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
