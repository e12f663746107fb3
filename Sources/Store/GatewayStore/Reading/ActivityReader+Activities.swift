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

// A tenant's activities are listed in an index of their own: a sorted set for each hour in which any was made, read from
// its end. Such a part goes by itself when all that it lists has gone, so the index needs no care; and it spreads over
// the nodes of a cluster.
extension ActivityReader {
    /// The most activities in one page of a listing.
    public static let longestActivityListing = 1000

    /// How many entries of the index one call looks at, so that a rare state does not make it read a million activities.
    private static let entriesPerCall = 5000
    private static let entriesAtOnce = 250

    /// The activities of a tenant, the newest first, dead ones as long as they can be read. Activities that are made
    /// between two calls come before the cursor, and move nothing behind it.
    ///
    /// One call looks at so many activities as bounds its time, so when few are in the state that is asked for it may
    /// find less than `limit`, or nothing, and give a cursor all the same.
    /// - Parameters:
    ///   - state: only activities in it; nil means all.
    ///   - type: only activities of this type.
    ///   - limit: how many at most; taken for 1 to `longestActivityListing`.
    ///   - cursor: where an earlier page ended; nil for the beginning.
    public func activities(
        of tenantID: String, in state: Activity.State? = nil, type: String? = nil, limit: Int,
        from cursor: ActivityCursor? = nil
    ) async throws(StoreError) -> ActivityListing {
        let limit = min(max(1, limit), ActivityReader.longestActivityListing)
        let now = wallClock()
        var listing = ActivityListing()
        var last = cursor?.entry
        var lookedAt = 0
        for hour in try await indexedHours(of: tenantID, from: last?.hour, now: now) {
            var isRead = false
            while !isRead {
                let entries = try await entries(of: tenantID, hour: hour, before: last)
                isRead = entries.count < ActivityReader.entriesAtOnce
                let found = try await statuses(of: entries, tenantID, hour: hour, now: now)
                for (entry, status) in zip(entries, found) {
                    if let status, state == nil || status.state == state,
                        type.map({ status.record.activity.type.utf8.elementsEqual($0.utf8) }) ?? true
                    {
                        // It is known now that there is one more.
                        guard listing.activities.count < limit else {
                            listing.next = last.map(ActivityCursor.init)
                            return listing
                        }
                        listing.activities.append(status)
                    }
                    last = entry
                }
                lookedAt += entries.count
                if lookedAt >= ActivityReader.entriesPerCall {
                    listing.next = last.map(ActivityCursor.init)
                    return listing
                }
            }
        }
        return listing
    }

    /// The hours that the index has entries of, the latest first.
    private func indexedHours(
        of tenantID: String, from first: Int64?, now: WallTime
    ) async throws(StoreError) -> [Int64] {
        let running = now.milliseconds / ActivityIndexEntry.millisecondsPerHour
        // The clock of another gateway may be ahead.
        let latest = min(first ?? .max, running + 1)
        let earliest = running - StoredActivities.indexHours
        guard earliest <= latest else { return [] }
        let hours = Array((earliest...latest).reversed())
        let counts = try await values(hours.map { RedisCommand("ZCARD", Keys.activityIndex(tenantID, hour: $0)) })
        return zip(hours, counts).filter { ($0.1.int ?? 0) > 0 }.map(\.0)
    }

    private func entries(
        of tenantID: String, hour: Int64, before last: ActivityIndexEntry?
    ) async throws(StoreError) -> [ActivityIndexEntry] {
        var latest = Array("+".utf8)
        if let last, last.hour == hour { latest = Array("(".utf8) + last.bytes }
        let reply = try await value(
            RedisCommand(
                "ZREVRANGEBYLEX", Keys.activityIndex(tenantID, hour: hour), latest, "-", "LIMIT", 0,
                ActivityReader.entriesAtOnce))
        return (reply.array ?? []).compactMap { $0.bytes.flatMap { ActivityIndexEntry($0) } }
    }

    /// The activities of entries of the index; nil for one that is not there (yet), or cannot be read any more.
    private func statuses(
        of entries: [ActivityIndexEntry], _ tenantID: String, hour: Int64, now: WallTime
    ) async throws(StoreError) -> [ActivityStatus?] {
        let replies = try await values(entries.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        let statuses = zip(entries, replies).map { entry, reply in
            ActivityStatus(entry.id, reply.fields, now: now).flatMap {
                $0.record.activity.tenantID == tenantID ? $0 : nil
            }
        }
        // Never to be listed again: what died long ago, and what a gateway that was killed had only announced.
        let over = zip(entries, statuses).filter { $0.1 == nil && $0.0.createdAt + .seconds(3600) < now }
        if !over.isEmpty {
            let key = Keys.activityIndex(tenantID, hour: hour)
            _ = try await values(over.map { RedisCommand("ZREM", key, $0.0.bytes) })
        }
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
