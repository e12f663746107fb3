import LiveActivity
import RedisClient
import TimeCore

/// Lists of followers that owners keep, and listings of all followers.
extension StoredFollowers {
    /// A follower of a topic.
    public struct Follower: Sendable {
        /// The source of a follower: the user's app or the owner's list.
        public enum Source: String, Sendable {
            case app, customer
        }

        /// The user's insider_id.
        public let insiderID: String
        /// The source of the preference.
        public let source: Source
    }

    /// The most followers in one listing.
    public static let longestFollowerListing = 1000

    /// The number of parts of the lists that one call reads. The limit bounds the time for a topic whose followers have
    /// left.
    static let partsPerCall = 32

    /// The number of users on the owner's list.
    public func listed(_ id: TopicID) async throws(StoreError) -> Int {
        try await segments.segment(id.name, tenantID: StoredTopics.listOwner(id.tenantID))?.users ?? 0
    }

    /// The number of followers who are due in the topic's queue.
    public func queued(_ id: TopicID) async throws(StoreError) -> Int {
        let count = RedisCommand("ZCOUNT", Keys.topicQueue(id), "-inf", wallClock().milliseconds)
        return Int(try await value(count).int ?? 0)
    }

    /// Records a change of the owner's list. While the topic is live, its driver compares the list with the roster.
    public func listChanged(_ id: TopicID) async throws(StoreError) {
        let now = wallClock().milliseconds
        _ = try await values([
            RedisCommand("HINCRBY", Keys.topic(id), "relist", 1),
            RedisCommand("ZADD", Keys.due(id.shard), "LT", now, id.description),
        ])
        noteDue(id.shard, at: now)
    }

    /// Returns a page of the followers in an arbitrary order. New followers may be missing. A page may have fewer than
    /// `limit` followers, or none, and still a next one.
    /// - Parameter after: The `next` of the former page; nil for the beginning.
    /// - Returns: The followers, and the beginning of the next page; nil if there is none.
    public func followers(
        of topic: TopicRecord, limit: Int, after: String?
    ) async throws(StoreError) -> (followers: [Follower], next: String?) {
        let place = (after ?? "0.0").split(separator: ".").compactMap { Int($0) }
        guard place.count == 2, place.allSatisfy({ $0 >= 0 }) else { return ([], nil) }
        var (chunk, offset) = (place[0], place[1])
        let root = try await segments.segmentRoot(topic.id.name, tenantID: StoredTopics.listOwner(topic.id.tenantID))
        let pages = (root?.parts ?? [:]).sorted { $0.key < $1.key }.flatMap { $0.value.keys($0.key) }
        let keys = wishKeys(topic)
        var found: [Follower] = []
        let end = min(pages.count + keys.count, chunk + StoredFollowers.partsPerCall)
        while chunk < end {
            let all =
                chunk < pages.count
                ? try await silent(pages[chunk], topic) : try await wishing(keys[chunk - pages.count])
            let room = limit - found.count
            found += all.dropFirst(offset).prefix(room)
            if all.count - offset > room { return (found, "\(chunk).\(offset + room)") }
            (chunk, offset) = (chunk + 1, 0)
            if found.count == limit { break }
        }
        return (found, chunk < pages.count + keys.count ? "\(chunk).0" : nil)
    }

    /// The users on a page of the owner's list who have no preference.
    private func silent(_ page: String, _ topic: TopicRecord) async throws(StoreError) -> [Follower] {
        let ids = try await StoredFollowers.ids(inPages: segments.segmentPages([page]))
        return zip(ids, try await wishes(ids, topic: topic.id)).filter { $0.1 == Wish.none }
            .map { Follower(insiderID: $0.0, source: .customer) }
    }

    private func wishing(_ keys: [String]) async throws(StoreError) -> [Follower] {
        try await values(keys.map { RedisCommand("HGETALL", $0) }).flatMap(\.fields)
            .filter { $0.value.first == Wish.follow }
            .map { Follower(insiderID: String(decoding: $0.name, as: UTF8.self), source: .app) }
    }
}
