import LiveActivity
import RedisClient

/// The followers of a topic: users who follow by an app, and users on the owner's list without a preference.
extension StoredFollowers {
    /// Calls `body` with all followers, each once, in groups. Users whose preference changes in the meantime are
    /// queued.
    func forEachFollower(
        of topic: TopicRecord, _ body: ([String]) async throws -> Void
    ) async throws {
        let id = topic.id
        let hasWishes = topic.following + topic.unfollowed > 0
        // Preferences come first, so a listed user who states one after this is not passed twice.
        for keys in hasWishes ? wishKeys(topic) : [] {
            let replies = try await values(keys.map { RedisCommand("HGETALL", $0) })
            let ids = replies.flatMap(\.fields).filter { $0.value.first == Wish.follow }
                .map { String(decoding: $0.name, as: UTF8.self) }
            if !ids.isEmpty { try await body(ids) }
        }
        guard let root = try await segments.segmentRoot(id.name, tenantID: StoredTopics.listOwner(id.tenantID)) else {
            return
        }
        for (partition, part) in root.parts {
            for page in part.keys(partition) {
                let ids = try await StoredFollowers.ids(inPages: segments.segmentPages([page]))
                guard hasWishes else {
                    try await body(ids)
                    continue
                }
                let wishes = try await wishes(ids, topic: id)
                let silent = zip(ids, wishes).filter { $0.1 == Wish.none }.map(\.0)
                if !silent.isEmpty { try await body(silent) }
            }
        }
    }

    /// The preferences as scripts encode them.
    enum Wish {
        static let follow = UInt8(ascii: "1")
        static let none = UInt8(ascii: "-")
    }

    /// Returns a byte for each user, see `Wish`.
    func wishes(_ insiderIDs: [String], topic: TopicID) async throws(StoreError) -> [UInt8] {
        guard !insiderIDs.isEmpty else { return [] }
        let found = try await run(Scripts.findWishes(topic: Keys.topic(topic), users: insiderIDs))
        guard found.count == insiderIDs.count else { throw .damaged("wishes of a topic's followers") }
        return found
    }

    /// Returns true for each user who follows a topic.
    func follow(_ insiderIDs: [String], _ topic: TopicID) async throws(StoreError) -> [Bool] {
        try await stances(insiderIDs, topic).map(\.follows)
    }

    /// The stance of a user towards a topic.
    struct Stance {
        var follows: Bool
        /// True if the preference comes from the user's app; false if the owner's list decides.
        let isOwnWord: Bool
    }

    func stances(_ insiderIDs: [String], _ topic: TopicID) async throws(StoreError) -> [Stance] {
        var stances = try await wishes(insiderIDs, topic: topic).map {
            Stance(follows: $0 == Wish.follow, isOwnWord: $0 != Wish.none)
        }
        let silent = stances.indices.filter { !stances[$0].isOwnWord }
        let isListed = try await areListed(silent.map { insiderIDs[$0] }, topic)
        for (index, isListed) in zip(silent, isListed) { stances[index].follows = isListed }
        return stances
    }

    /// Returns true for each of the topics that a user follows. There may be many topics.
    func follows(
        _ insiderID: String, _ topics: [TopicID], tenantID: String
    ) async throws(StoreError) -> [Bool] {
        let wishes = try await values(
            topics.map { Scripts.findWishes(topic: Keys.topic($0), users: [insiderID]).command })
        let silent = zip(topics, wishes).filter { $0.1.bytes == [Wish.none] }.map(\.0.name)
        let listed = try await segments.holding(insiderID, among: silent, StoredTopics.listOwner(tenantID))
        let names = Set(listed.map(\.name))
        return zip(topics, wishes).map { $1.bytes == [Wish.follow] || names.contains($0.name) }
    }

    /// Returns true for each user on the owner's list.
    private func areListed(_ insiderIDs: [String], _ topic: TopicID) async throws(StoreError) -> [Bool] {
        guard !insiderIDs.isEmpty,
            let root = try await segments.segmentRoot(topic.name, tenantID: StoredTopics.listOwner(topic.tenantID))
        else { return insiderIDs.map { _ in false } }
        // The store compares names by bytes.
        let packed = insiderIDs.map { id in
            var bytes: [UInt8] = []
            PackedName.append(id, to: &bytes)
            return bytes
        }
        let partitions = packed.map {
            SegmentGeometry.partition(ofBucket: SegmentGeometry.bucket($0), in: root.partitions)
        }
        var members: Set<[UInt8]> = []
        for partition in Set(partitions) {
            guard let part = root.parts[partition] else { continue }
            for page in try await segments.segmentPages(part.keys(partition)) {
                guard SegmentPage.forEach(page, { members.insert(Array($0)) }) else {
                    throw StoredFollowers.damagedList
                }
            }
        }
        return packed.map(members.contains)
    }

    private static let damagedList = StoreError.damaged("a page of a topic's followers")

    static func ids(inPages pages: [[UInt8]]) throws(StoreError) -> [String] {
        var ids: [String] = []
        for page in pages {
            guard SegmentPage.forEach(page, { ids.append(PackedName.decode($0)) }) else {
                throw damagedList
            }
        }
        return ids
    }

    /// The keys of all preferences, in groups.
    func wishKeys(_ topic: TopicRecord) -> [[String]] {
        let key = Keys.topic(topic.id)
        let levels = [["/w"], (0..<128).map { "/w1:\($0)" }, (0..<16_384).map { "/w2:\($0)" }]
        return levels.prefix(topic.wishLevels).flatMap { names in
            stride(from: 0, to: names.count, by: 64).map { first in
                names[first..<min(names.count, first + 64)].map { key + $0 }
            }
        }
    }
}
