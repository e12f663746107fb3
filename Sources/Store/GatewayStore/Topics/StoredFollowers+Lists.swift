import LiveActivity
import RedisClient
import TimeCore

/// The lists of followers that owners keep, and pages of all followers.
extension StoredFollowers {
    /// A follower of a topic.
    public struct Follower: Sendable {
        /// Who says so.
        public enum Source: String, Sendable {
            case app, customer
        }

        /// The user.
        public let insiderID: String
        /// By whose word.
        public let source: Source
    }

    /// The most followers in one listing.
    public static let longestFollowerListing = 1000

    /// How many parts of the lists one call reads, so that a topic that nearly all have left does not hold up others.
    static let partsPerCall = 32

    /// How many users are on the owner's list.
    public func listed(_ id: TopicID) async throws(StoreError) -> Int {
        try await segments.segment(id.name, tenantID: StoredTopics.listOwner(id.tenantID))?.users ?? 0
    }

    /// The number of followers who are due in the topic's queue.
    public func queued(_ id: TopicID) async throws(StoreError) -> Int {
        let count = RedisCommand("ZCOUNT", Keys.topicQueue(id), "-inf", wallClock().milliseconds)
        return Int(try await value(count).int ?? 0)
    }

    /// Notes that the owner's list is another one: while the topic is live its driver compares it with who has a place.
    public func listChanged(_ id: TopicID) async throws(StoreError) {
        let now = wallClock().milliseconds
        _ = try await values([
            RedisCommand("HINCRBY", Keys.topic(id), "relist", 1),
            RedisCommand("ZADD", Keys.due(id.shard), "LT", now, id.description),
        ])
        noteDue(id.shard, at: now)
    }

    /// A page of the followers, in no order that means anything. Who begins to follow meanwhile may be passed over.
    /// When few have stayed it may have fewer than `limit`, or none, and not be the last.
    /// - Parameter after: what the last page gave.
    /// - Returns: also what to go on after; nil when there are no more.
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

    /// Who is on a page of the owner's list and has said nothing.
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
