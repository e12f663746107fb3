import Encodings
import LiveActivity
import Reactor
import RedisClient
import RosterCore

/// Where a page of slots may stand: a short one in a field of its partition's counters, any other in a key of its own.
/// One that becomes too long moves to its key, in the step that makes it so, and does not come back. See `pages.lua`.
struct PageKey: Sendable {
    /// What a page holds, by the letter that keys and fields have for it.
    enum Content: String {
        case startTokens = "s", updateTokens = "u", statuses = "f", outcomes = "o", identities = "i"
    }

    /// So many bytes stand in a field at most. With a longer value Redis would not keep the hash packed, as it is set
    /// by default (`hash-max-listpack-value`).
    static let longestField = 64

    let key: String
    let counters: String
    let field: String

    init(_ content: Content, _ activity: UniqueID, _ page: Int) {
        key = Keys.page(content, activity, page)
        counters = Keys.counters(activity, RosterGeometry.partition(ofPage: page))
        field = "\(content.rawValue)\(page % RosterGeometry.pagesPerPartition)"
    }

    /// Whether a page that reaches up to this slot is too long for a field, whatever it holds.
    static func isLong(_ slots: Int) -> Bool { slots > longestField }
}

extension StoreFeature {
    /// Pages as they are, wherever they stand; an empty one for each that is not there.
    func pages(_ keys: [PageKey]) async throws(StoreError) -> [[UInt8]] {
        var pages = try await fieldsOrKeys(keys)
        // A page may have moved between the two looks, where their order is not certain. It moves once.
        let missing = pages.indices.filter { pages[$0].isEmpty }
        if !missing.isEmpty, await !looksInOrder() {
            for (place, page) in zip(missing, try await fieldsOrKeys(missing.map { keys[$0] })) { pages[place] = page }
        }
        return pages
    }

    /// In a cluster the first of two commands may be sent again, and be carried out last.
    private func looksInOrder() async -> Bool {
        await redis.reactor.call(stopped: false) { $0(self.redis.keepsOrderAcrossKeys) }
    }

    /// Looks for each page in its field first: from there it may move to its key meanwhile.
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

    /// The delivery status of a slot.
    func status(of slot: UInt32, in activity: UniqueID) async throws(StoreError) -> UInt8 {
        try await statuses(of: [(activity, slot)])[0]
    }

    /// The delivery statuses of slots.
    func statuses(of places: [(activity: UniqueID, slot: UInt32)]) async throws(StoreError) -> [UInt8] {
        let pages = try await pages(
            places.map { PageKey(.statuses, $0.activity, RosterGeometry.page(ofSlot: $0.slot)) })
        return zip(places, pages).map { place, page in
            let index = RosterGeometry.index(ofSlot: place.slot)
            return index < page.count ? page[index] : DeliveryStatus.absent
        }
    }

    /// Who the slots of pages are: runs of identities by their first index, as the fields of a hash.
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

    /// Who the slots of a page are.
    func identities(_ page: Int, of activity: UniqueID) async throws(StoreError) -> IdentityPage {
        IdentityPage(try await identityRuns([page], of: activity)[0])
    }
}

/// Runs of identities in one value: of each its first index in two bytes, its length in one, and the run. See
/// `identities.lua`.
enum ShortIdentities {
    /// Nil when it is too long for a field.
    static func encode(first: Int, _ run: [UInt8]) -> [UInt8]? {
        guard run.count + 3 <= PageKey.longestField else { return nil }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(first), bytes: 2)
        bytes.append(UInt8(run.count))
        return bytes + run
    }

    /// As the fields of a hash. Stops at the first damaged run.
    static func decode(_ bytes: [UInt8]) -> [RedisField] {
        var fields: [RedisField] = []
        var reader = ByteReader(bytes)
        while let first = reader.integer(UInt16.self), let length = reader.byte(), let run = reader.take(Int(length)) {
            fields.append((Array("\(first)".utf8), Array(run)))
        }
        return fields
    }
}
