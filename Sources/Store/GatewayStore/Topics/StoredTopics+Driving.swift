public import LiveActivity
import RedisClient
public import TimeCore

/// Says that a topic is the caller's to drive, for a while.
public struct TopicLease: Sendable {
    /// Which topic.
    public let topic: TopicID
    let token: String

    /// One that is not taken yet, see `StoredTopics.take`.
    public init(_ topic: TopicID) {
        self.topic = topic
        token = UniqueID.random().description
    }
}

extension StoredTopics {
    /// How long a topic is left to a driver of whom nothing is heard.
    static let leaseLife = TimeInterval.seconds(5)

    /// What a wish to drive a topic came to.
    public enum Lease: Sendable {
        case mine(TopicRecord)
        /// Another one drives it, and will see to what there is. Should it be gone, the topic is due when its lease has
        /// run out.
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

    /// Leaves a topic to whoever drives it next. False when there is something to do for it now.
    /// - Parameters:
    ///   - version: that has been seen to.
    ///   - next: when it is looked at again at the latest, while it is live.
    ///   - isForced: leave it until then whatever there is to do.
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

    /// Takes in that the activity has ended without its topic's doing, or (nil) that there can be none.
    /// - Parameter reason: by name.
    public func conclude(_ lease: TopicLease, _ activity: UniqueID?, reason: String) async throws(StoreError) {
        _ = try await run(
            Scripts.concludeTopic, [Keys.topic(lease.topic)],
            [lease.token, activity?.description ?? "", reason, wallClock().milliseconds])
    }

    /// Names the activity that is about to be made, or none.
    /// - Returns: whether the lease still holds, and the one that was named before.
    public func nameCandidate(
        _ id: UniqueID?, _ lease: TopicLease
    ) async throws(StoreError) -> (isHeld: Bool, former: UniqueID?) {
        let reply = try await run(
            Scripts.noteCandidate, [Keys.topic(lease.topic)], [lease.token, id?.description ?? ""])
        return (reply.int != -1, reply.string.flatMap { UniqueID($0) })
    }
}

extension StoredTopics {
    /// Whether nobody drives a topic and nobody waits to be seen to: for tests.
    package func isSettled(_ id: TopicID) async throws(StoreError) -> Bool {
        let replies = try await values([
            RedisCommand("HEXISTS", Keys.topic(id), "driver"),
            RedisCommand("ZCOUNT", Keys.topicQueue(id), "-inf", wallClock().milliseconds),
        ])
        return replies.allSatisfy { $0.int == 0 }
    }
}
