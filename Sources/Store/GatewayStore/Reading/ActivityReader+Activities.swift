public import LiveActivity
import RedisClient
import TimeCore

/// A page of a listing of activities.
public struct ActivityListing: Sendable {
    /// The newest first.
    public internal(set) var activities: [ActivityStatus] = []
    /// The beginning of the next page; nil at the end. A page that is not full may have a next one.
    public internal(set) var next: ActivityCursor?
}

/// The activities that a listing holds.
public struct ActivityFilter: Sendable {
    /// Only activities in this state; nil means all.
    public var state: Activity.State?
    /// Only activities of this type; nil means all.
    public var type: String?
    /// The opener of the activities.
    public var openedBy = ActivityOpener.customer

    public init(state: Activity.State? = nil, type: String? = nil, openedBy: ActivityOpener = .customer) {
        self.state = state
        self.type = type
        self.openedBy = openedBy
    }

    fileprivate func takes(_ status: ActivityStatus) -> Bool {
        state == nil || status.state == state
    }
}

// Each hour in which a tenant made an activity has an index: a sorted set that is read from its end. Device-opened
// activities have indexes of their own, because they may be far more. An index expires after its activities. A tenant's
// indexes spread over the nodes of a cluster. A large index has parts (`activity-index.lua`).
extension ActivityReader {
    /// The most activities in one page of a listing.
    public static let longestActivityListing = 1000

    /// The most entries that one call reads for a page that could be empty. Without this limit, a rare state would make
    /// it read a million activities.
    static let entriesPerCall = 500
    private static let entriesAtOnce = 100
    private static let hoursAtOnce = 24

    /// The activities of a tenant, the newest first, including dead ones that are still readable. Activities made
    /// between two calls come before the cursor and move no later entry. Records have only the `listedFields`.
    ///
    /// One call reads the greater of `limit` activities and `entriesPerCall`. If few match the filter, the page may
    /// have less than `limit` activities, or none, and still a cursor.
    ///   - limit: The most activities; clamped to 1 to `longestActivityListing`.
    ///   - cursor: The end of an earlier page; nil for the beginning.
    public func activities(
        of tenantID: String, _ filter: ActivityFilter = ActivityFilter(), limit: Int, from cursor: ActivityCursor? = nil
    ) async throws(StoreError) -> ActivityListing {
        let limit = min(max(1, limit), ActivityReader.longestActivityListing)
        let now = wallClock()
        var listing = ActivityListing()
        var last = cursor?.entry
        // One more entry shows whether there is a next page.
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
                            // This activity belongs to the next page.
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

    /// Returns the hours whose indexes may have entries, the latest first, in groups.
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
        return Array(found.joined().sorted { $1.bytes.lexicographicallyPrecedes($0.bytes) }.prefix(count))
    }

    /// The number of parts of an index that one round trip reads.
    private static let partsAtOnce = 4

    /// The newest entries of one index. Reads its parts from the newest to the first.
    private func entries(
        in index: String, before last: ActivityIndexEntry?, _ count: Int
    ) async throws(StoreError) -> [ActivityIndexEntry] {
        let latest = last.map { Array("(".utf8) + $0.bytes } ?? Array("+".utf8)
        func read(_ keys: [String]) async throws(StoreError) -> [ActivityIndexEntry] {
            let replies = try await values(
                keys.map { RedisCommand("ZREVRANGEBYLEX", $0, latest, "-", "LIMIT", 0, count) })
            return replies.flatMap { $0.array ?? [] }.compactMap { $0.bytes.flatMap { ActivityIndexEntry($0) } }
        }
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
            // The first part has the oldest entries.
            found += try await read(hasMore ? keys : keys + [index])
        }
        return Array(found.prefix(count))
    }

    /// The fields that a listing reads of an activity.
    private static let listedFields = [
        "tenant", "type", "state", "created_at", "started_at", "ends_at", "ended_at", "end_reason", "external_id",
        "external_owner", "users", "devices", "label",
    ]

    /// The activities of index entries; nil for one that the filter excludes, that does not exist yet, or that is no
    /// longer readable.
    private func statuses(
        of entries: [ActivityIndexEntry], _ tenantID: String, _ filter: ActivityFilter, now: WallTime
    ) async throws(StoreError) -> [ActivityStatus?] {
        let replies = try await values(
            entries.map { RedisCommand("HMGET", arguments: [Keys.activity($0.id)] + ActivityReader.listedFields) })
        var statuses: [ActivityStatus?] = []
        var care: [RedisCommand] = []
        for (entry, reply) in zip(entries, replies) {
            let values = (reply.array ?? []).map(\.bytes)
            // The type alone excludes most of the unwanted activities.
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
            if status == nil, entry.createdAt + .seconds(3600) < now {
                // The activity died long ago, or a gateway was killed between the entry and the activity.
                care += Keys.activityIndexes(tenantID, hour: entry.hour, filter.openedBy).map {
                    context.unlisting(entry, from: $0)
                }
            }
            statuses.append(status.flatMap { filter.takes($0) ? $0 : nil })
        }
        if !care.isEmpty { _ = try await values(care) }
        return statuses
    }
}

extension ActivityReader {
    /// Returns the activity that devices opened under this name: one or none.
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
