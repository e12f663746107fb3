public import LiveActivity
import RedisClient
import TimeCore

/// A page of a listing of activities.
public struct ActivityListing: Sendable {
    /// The newest first.
    public internal(set) var activities: [ActivityStatus] = []
    /// Where to go on; nil at the end. There may be more although this page is not full.
    public internal(set) var next: ActivityCursor?
}

/// What a listing of activities is to hold.
public struct ActivityFilter: Sendable {
    /// Only activities in this state; nil means all.
    public var state: Activity.State?
    /// Only activities of this type; nil means all.
    public var type: String?
    /// Whose.
    public var openedBy = ActivityOpener.customer

    public init(state: Activity.State? = nil, type: String? = nil, openedBy: ActivityOpener = .customer) {
        self.state = state
        self.type = type
        self.openedBy = openedBy
    }

    fileprivate func takes(_ status: ActivityStatus) -> Bool {
        guard state == nil || status.state == state else { return false }
        switch openedBy {
        case .any: return true
        case .customer: return status.record.activity.externalID == nil
        case .device: return status.record.activity.externalID != nil
        }
    }
}

// A tenant's activities are listed in indexes of their own: a sorted set for each hour in which any was made, read from
// its end, and another one for those that devices have opened, which may be many more. Such an index goes by itself
// when all that it lists has gone, and needs no care; and a tenant's indexes spread over the nodes of a cluster. One of
// many activities lies in parts (`activity-index.lua`).
//
// Earlier versions listed what devices have opened among the others. It is moved when it is found there.
extension ActivityReader {
    /// The most activities in one page of a listing.
    public static let longestActivityListing = 1000

    /// How many entries of the index one call looks at for a page that could be empty, so that a rare state does not
    /// make it read a million activities.
    static let entriesPerCall = 500
    private static let entriesAtOnce = 100
    private static let hoursAtOnce = 24

    /// The activities of a tenant, the newest first, dead ones as long as they can be read. Activities that are made
    /// between two calls come before the cursor, and move nothing behind it. Of an activity's record there is what
    /// `listedFields` names.
    ///
    /// One call looks at as many activities as the page may hold, or at `entriesPerCall`. So when few are what is asked
    /// for it may find less than `limit`, or nothing, and give a cursor all the same.
    /// - Parameters:
    ///   - limit: how many at most; taken for 1 to `longestActivityListing`.
    ///   - cursor: where an earlier page ended; nil for the beginning.
    public func activities(
        of tenantID: String, _ filter: ActivityFilter = ActivityFilter(), limit: Int, from cursor: ActivityCursor? = nil
    ) async throws(StoreError) -> ActivityListing {
        let limit = min(max(1, limit), ActivityReader.longestActivityListing)
        let now = wallClock()
        var listing = ActivityListing()
        var last = cursor?.entry
        // One more tells that there is one.
        var left = max(limit + 1, ActivityReader.entriesPerCall)
        for hours in ActivityReader.indexHours(from: last?.hour, now: now) {
            for hour in try await hoursWithEntries(hours, of: tenantID, filter) {
                var isRead = false
                while !isRead {
                    let wanted = min(left, ActivityReader.entriesAtOnce, limit - listing.activities.count + 1)
                    let entries = try await entries(of: tenantID, filter, hour: hour, before: last, wanted)
                    isRead = entries.count < wanted
                    for (entry, status) in zip(entries, try await statuses(of: entries, tenantID, filter, now: now)) {
                        if let status {
                            // It is known now that there is one more.
                            guard listing.activities.count < limit else {
                                listing.next = last.map(ActivityCursor.init)
                                return listing
                            }
                            listing.activities.append(status)
                        }
                        last = entry
                    }
                    left -= entries.count
                    if left <= 0 {
                        listing.next = last.map(ActivityCursor.init)
                        return listing
                    }
                }
            }
        }
        return listing
    }

    /// The hours that the index may have entries of, the latest first, some at a time.
    private static func indexHours(from first: Int64?, now: WallTime) -> [[Int64]] {
        let running = now.milliseconds / ActivityIndexEntry.millisecondsPerHour
        // The clock of another gateway may be ahead.
        let latest = min(first ?? .max, running + 1)
        let earliest = running - StoredActivities.indexHours
        guard earliest <= latest else { return [] }
        let hours = Array((earliest...latest).reversed())
        return stride(from: 0, to: hours.count, by: hoursAtOnce).map { Array(hours[$0...].prefix(hoursAtOnce)) }
    }

    private func hoursWithEntries(
        _ hours: [Int64], of tenantID: String, _ filter: ActivityFilter
    ) async throws(StoreError) -> [Int64] {
        let keys = hours.map { hour in
            Keys.activityIndexes(tenantID, hour: hour, filter.openedBy).flatMap { [$0, Keys.activityIndexParts($0)] }
        }
        let counts = try await values(keys.map { RedisCommand("EXISTS", arguments: $0) })
        return zip(hours, counts).filter { ($0.1.int ?? 0) > 0 }.map(\.0)
    }

    private func entries(
        of tenantID: String, _ filter: ActivityFilter, hour: Int64, before last: ActivityIndexEntry?, _ count: Int
    ) async throws(StoreError) -> [ActivityIndexEntry] {
        var found: [[ActivityIndexEntry]] = []
        for index in Keys.activityIndexes(tenantID, hour: hour, filter.openedBy) {
            found.append(try await entries(in: index, before: last?.hour == hour ? last : nil, count))
        }
        guard found.count > 1 else { return found.first ?? [] }
        // One that is being moved is in both.
        return Array(ActivityReader.merged(found).prefix(count))
    }

    /// The entries of several lists, the newest first, each once.
    private static func merged(_ lists: [[ActivityIndexEntry]]) -> [ActivityIndexEntry] {
        var merged: [ActivityIndexEntry] = []
        for entry in lists.joined().sorted(by: { $1.bytes.lexicographicallyPrecedes($0.bytes) })
        where merged.last != entry { merged.append(entry) }
        return merged
    }

    /// How many parts of an index are read with one round trip.
    private static let partsAtOnce = 4

    /// The newest entries of one index: of its parts, the newest first, and of its first part in any case, into which a
    /// gateway that knows of no parts yet puts what it makes.
    private func entries(
        in index: String, before last: ActivityIndexEntry?, _ count: Int
    ) async throws(StoreError) -> [ActivityIndexEntry] {
        let latest = last.map { Array("(".utf8) + $0.bytes } ?? Array("+".utf8)
        func read(_ keys: [String]) async throws(StoreError) -> [ActivityIndexEntry] {
            let replies = try await values(
                keys.map { RedisCommand("ZREVRANGEBYLEX", $0, latest, "-", "LIMIT", 0, count) })
            return replies.flatMap { $0.array ?? [] }.compactMap { $0.bytes.flatMap { ActivityIndexEntry($0) } }
        }
        let first = try await read([index])
        var found: [ActivityIndexEntry] = []
        var skipped = 0
        var hasMore = true
        while hasMore, found.count < count {
            let beginnings = try await value(
                RedisCommand(
                    "ZREVRANGEBYLEX", Keys.activityIndexParts(index),
                    last.map { "[\($0.createdAt.milliseconds)" } ?? "+",
                    "-", "LIMIT", skipped, ActivityReader.partsAtOnce))
            let keys = (beginnings.array ?? []).compactMap(\.string).map { Keys.activityIndexPart(index, from: $0) }
            skipped += keys.count
            hasMore = keys.count == ActivityReader.partsAtOnce
            found += try await read(keys)
        }
        return Array(ActivityReader.merged([found, first]).prefix(count))
    }

    /// What is read of an activity that is listed.
    private static let listedFields = [
        "tenant", "type", "state", "created_at", "started_at", "ends_at", "ended_at", "end_reason", "external_id",
        "external_owner", "users", "devices", "label",
    ]

    /// The activities of entries of the index; nil for one that is not wanted, not there (yet), or cannot be read any
    /// more.
    private func statuses(
        of entries: [ActivityIndexEntry], _ tenantID: String, _ filter: ActivityFilter, now: WallTime
    ) async throws(StoreError) -> [ActivityStatus?] {
        let replies = try await values(
            entries.map { RedisCommand("HMGET", arguments: [Keys.activity($0.id)] + ActivityReader.listedFields) })
        var statuses: [ActivityStatus?] = []
        var care: [RedisCommand] = []
        for (entry, reply) in zip(entries, replies) {
            let values = (reply.array ?? []).map(\.bytes)
            // Most of what is not wanted is told by its type.
            if let type = filter.type, let found = values.dropFirst().first ?? nil, !found.elementsEqual(type.utf8) {
                statuses.append(nil)
                continue
            }
            let fields = zip(ActivityReader.listedFields, values).compactMap { name, value in
                value.map { (name: Array(name.utf8), value: $0) }
            }
            let status = ActivityStatus(entry.id, fields, now: now).flatMap {
                $0.record.activity.tenantID == tenantID ? $0 : nil
            }
            let (customers, devices) = (
                Keys.activityIndex(tenantID, hour: entry.hour), Keys.deviceActivityIndex(tenantID, hour: entry.hour)
            )
            if let status, status.record.activity.externalID != nil, filter.openedBy == .customer {
                // Listed by an earlier version.
                care += context.listing(entry, in: devices) + [context.unlisting(entry, from: customers)]
            } else if status == nil, entry.createdAt + .seconds(3600) < now {
                // Never to be listed again: what died long ago, and what a gateway that was killed had only announced.
                care += [customers, devices].map { context.unlisting(entry, from: $0) }
            }
            statuses.append(status.flatMap { filter.takes($0) ? $0 : nil })
        }
        if !care.isEmpty { _ = try await values(care) }
        return statuses
    }
}

extension ActivityReader {
    /// The activity that devices opened by themselves and call so: one or none.
    public func activities(
        of tenantID: String, called name: ExternalName, in state: Activity.State?
    ) async throws(StoreError) -> ActivityListing {
        var listing = ActivityListing()
        if let id = try await activities.deviceInitiatedActivity(name, tenantID: tenantID),
            let status = try await status(of: id), status.record.activity.tenantID == tenantID,
            state == nil || status.state == state
        {
            listing.activities = [status]
        }
        return listing
    }
}
