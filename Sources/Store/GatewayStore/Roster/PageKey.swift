import Encodings
import LiveActivity
import Reactor
import RedisClient
import RosterCore

/// The places of a page of slots: a field of its partition's counters while it is short, else a key of its own. A page
/// that grows too long moves to its key in the same step, and does not come back. See `pages.lua`.
struct PageKey: Sendable {
    /// The content of a page, by its letter in keys and fields.
    enum Content: String {
        case startTokens = "s", updateTokens = "u", statuses = "f", outcomes = "o", identities = "i"
    }

    /// The most bytes of a field. Redis does not keep a hash with longer values packed, by its default of
    /// `hash-max-listpack-value`.
    static let longestField = 64

    let key: String
    let counters: String
    let field: String

    init(_ content: Content, _ activity: UniqueID, _ page: Int) {
        key = Keys.page(content, activity, page)
        counters = Keys.counters(activity, RosterGeometry.partition(ofPage: page))
        field = "\(content.rawValue)\(page % RosterGeometry.pagesPerPartition)"
    }

    /// True if a page with this many slots is too long for a field, with any content.
    static func isLong(_ slots: Int) -> Bool { slots > longestField }
}

extension StoreFeature {
    /// The contents of pages; empty for each page that does not exist.
    func pages(_ keys: [PageKey]) async throws(StoreError) -> [[UInt8]] {
        var pages = try await fieldsOrKeys(keys)
        // Without a certain order, a page may have moved between the reads of its field and its key. It moves only
        // once.
        let missing = pages.indices.filter { pages[$0].isEmpty }
        if !missing.isEmpty, await !looksInOrder() {
            for (place, page) in zip(missing, try await fieldsOrKeys(missing.map { keys[$0] })) { pages[place] = page }
        }
        return pages
    }

    /// True if commands run in the order in which they are sent. In a cluster, the first of two may be resent and run
    /// last.
    private func looksInOrder() async -> Bool {
        await redis.reactor.call(stopped: false) { $0(self.redis.keepsOrderAcrossKeys) }
    }

    /// Reads each page's field before its key, because a page may move from its field to its key.
    private func fieldsOrKeys(_ keys: [PageKey]) async throws(StoreError) -> [[UInt8]] {
        var groups: [Range<Int>] = []
        for place in keys.indices {
            if let last = groups.last, keys[last.lowerBound].counters == keys[place].counters {
                groups[groups.count - 1] = last.lowerBound..<(place + 1)
            } else {
                groups.append(place..<(place + 1))
            }
        }
        let fields = groups.map { group in
            RedisCommand("HMGET", arguments: [keys[group.lowerBound].counters] + keys[group].map(\.field))
        }
        let replies = try await values(fields + keys.map { RedisCommand("GET", $0.key) })
        let inFields = replies.prefix(groups.count).flatMap { $0.array ?? [] }
        return keys.indices.map { place in
            (place < inFields.count ? inFields[place].bytes : nil) ?? replies[groups.count + place].bytes ?? []
        }
    }

    func status(of slot: UInt32, in activity: UniqueID) async throws(StoreError) -> UInt8 {
        try await statuses(of: [(activity, slot)])[0]
    }

    func statuses(of places: [(activity: UniqueID, slot: UInt32)]) async throws(StoreError) -> [UInt8] {
        let pages = try await pages(
            places.map { PageKey(.statuses, $0.activity, RosterGeometry.page(ofSlot: $0.slot)) })
        return zip(places, pages).map { place, page in
            let index = RosterGeometry.index(ofSlot: place.slot)
            return index < page.count ? page[index] : DeliveryStatus.absent
        }
    }

    /// The identities of pages, as runs by their first index like the fields of a hash.
    func identityRuns(_ pages: [Int], of activity: UniqueID) async throws(StoreError) -> [[RedisField]] {
        var runs = try await runsInFieldsOrKeys(pages, activity)
        let missing = runs.indices.filter { runs[$0].isEmpty }
        if !missing.isEmpty, await !looksInOrder() {
            for (place, page) in zip(missing, try await runsInFieldsOrKeys(missing.map { pages[$0] }, activity)) {
                runs[place] = page
            }
        }
        return runs
    }

    private func runsInFieldsOrKeys(
        _ pages: [Int], _ activity: UniqueID
    ) async throws(StoreError) -> [[RedisField]] {
        let replies = try await values(
            pages.flatMap { page in
                let key = PageKey(.identities, activity, page)
                return [RedisCommand("HGET", key.counters, key.field), RedisCommand("HGETALL", key.key)]
            })
        return pages.indices.map { place in
            replies[2 * place].bytes.map { ShortIdentities.decode($0) } ?? replies[2 * place + 1].fields
        }
    }

    func identities(_ page: Int, of activity: UniqueID) async throws(StoreError) -> IdentityPage {
        IdentityPage(try await identityRuns([page], of: activity)[0])
    }
}

/// Runs of identities in one value. Each one has its first index in two bytes, its length in one, and the run. See
/// `identities.lua`.
enum ShortIdentities {
    /// Returns nil if the run is too long for a field.
    static func encode(first: Int, _ run: [UInt8]) -> [UInt8]? {
        guard run.count + 3 <= PageKey.longestField else { return nil }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(first), bytes: 2)
        bytes.append(UInt8(run.count))
        return bytes + run
    }

    /// Returns runs like the fields of a hash. Stops at the first damaged run.
    static func decode(_ bytes: [UInt8]) -> [RedisField] {
        var fields: [RedisField] = []
        var reader = ByteReader(bytes)
        while let first = reader.integer(UInt16.self), let length = reader.byte(), let run = reader.take(Int(length)) {
            fields.append((Array("\(first)".utf8), Array(run)))
        }
        return fields
    }
}
