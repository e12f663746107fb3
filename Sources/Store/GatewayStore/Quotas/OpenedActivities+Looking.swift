import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// A full set is searched for activities that are counted but no longer alive.
extension OpenedActivities {
    /// A counted activity.
    struct Entry {
        let id: UniqueID
        /// True if it was counted long enough ago that all its writes have finished.
        let isSettled: Bool
    }

    /// The time for which an activity counts without an end.
    static let life = StoredActivities.deviceInitiatedLife
    /// Longer than a report takes from the count to its last write.
    private static let settling = TimeInterval.seconds(60)
    /// The number of activities to check when the limit is reached. The sample is random, so repeated calls cover a
    /// large set.
    private static let lookedAtOnce = 256

    /// Drops dead activities from a set.
    /// - Returns: true if there were any.
    func forget(
        _ over: ([Entry]) async throws(StoreError) -> [UniqueID], _ key: String
    ) async throws(StoreError) -> Bool {
        let reply = try await value(RedisCommand("ZRANDMEMBER", key, OpenedActivities.lookedAtOnce, "WITHSCORES"))
        let settling = OpenedActivities.settling.nanoseconds
        // An end time close to a whole life from now belongs to an activity that was counted just now.
        let settled = wallClock().milliseconds + Int64((OpenedActivities.life.nanoseconds - settling) / 1_000_000)
        let parts = reply.array ?? []
        var entries: [Entry] = []
        for index in stride(from: 0, to: parts.count - parts.count % 2, by: 2) {
            guard let id = parts[index].bytes.flatMap({ UniqueID(bytes: $0) }) else { continue }
            let endsAt = parts[index + 1].string.flatMap { Int64($0) } ?? 0
            entries.append(Entry(id: id, isSettled: endsAt < settled))
        }
        let ended = try await over(entries)
        guard !ended.isEmpty else { return false }
        _ = try await values(ended.map { RedisCommand("ZREM", key, $0.bytes) })
        return true
    }

    /// Returns the activities of a set that are not alive. They have ended, were never made, or the user has left them.
    /// - Parameter insiderID: The user with this set; nil for the tenant's set. In that set, only a user's own
    ///   activities end with the user.
    func over(_ entries: [Entry], _ insiderID: String?, tenantID: String) async throws(StoreError) -> [UniqueID] {
        let records = try await values(
            entries.map { RedisCommand("HMGET", Keys.activity($0.id), "state", "external_owner") })
        var over: [UniqueID] = []
        var places: [(entry: Entry, owner: String)] = []
        for (entry, reply) in zip(entries, records) {
            guard let fields = reply.array, fields.count == 2, let state = fields[0].int else {
                if entry.isSettled { over.append(entry.id) }
                continue
            }
            if state != Int64(Activity.State.started.rawValue) {
                over.append(entry.id)
            } else if let owner = insiderID ?? fields[1].string {
                places.append((entry, owner))
            }
        }
        let left = try await haveLeft(places, tenantID: tenantID)
        return over + zip(places, left).filter { $1 }.map { $0.0.entry.id }
    }

    /// Stops counting a user's own activity once its owner has no Live Activity left in it. Idempotent.
    /// - Parameter ending: slots that are about to end.
    func left(_ activity: Activity, ending: [UInt32] = []) async throws(StoreError) {
        guard let owner = activity.externalOwner else { return }
        let entry = Entry(id: activity.id, isSettled: true)
        guard try await haveLeft([(entry, owner)], ending: Set(ending), tenantID: activity.tenantID)[0] else { return }
        try await close(activity.id, tenantID: activity.tenantID)
        try await leave(owner, activity.id, tenantID: activity.tenantID)
    }

    /// Returns for each activity whether the user has no Live Activity of it any more.
    private func haveLeft(
        _ places: [(entry: Entry, owner: String)], ending: Set<UInt32> = [], tenantID: String
    ) async throws(StoreError) -> [Bool] {
        let memberships = try await values(
            places.map {
                RedisCommand("HGET", Keys.user(tenantID, $0.owner), UserRecord.membershipField($0.entry.id))
            }
        ).map { $0.bytes.flatMap(Membership.init) }
        let pages = memberships.map { membership in
            SlotList.byPage((membership?.slots.map(\.slot) ?? []).filter { !ending.contains($0) }.sorted())
        }
        var statuses = try await self.pages(
            zip(places, pages).flatMap { place, pages in
                pages.map { PageKey(.statuses, place.entry.id, $0.page) }
            })[...]
        return zip(places, zip(memberships, pages)).map { place, membership in
            guard membership.0 != nil else { return place.entry.isSettled }
            return membership.1.reduce(true) { isOver, page in
                let bytes = statuses.popFirst() ?? []
                return isOver
                    && !page.indexes.contains { index in
                        OpenedActivities.isAlive(index < bytes.count ? bytes[index] : DeliveryStatus.absent)
                    }
            }
        }
    }

    /// A slot without a delivery status belongs to a device that is about to join. Its next report writes one.
    private static func isAlive(_ status: UInt8) -> Bool {
        status == DeliveryStatus.absent || DeliveryStatus.isLive(status)
    }
}
