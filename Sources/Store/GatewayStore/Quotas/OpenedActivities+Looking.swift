import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// What is counted and not alive, looked for when a set is full.
extension OpenedActivities {
    /// An activity that is counted.
    struct Entry {
        let id: UniqueID
        /// Whether it was counted so long ago that whatever was about to be written of it has been.
        let isSettled: Bool
    }

    /// For how long an activity is counted that nobody ends.
    static let life = StoredActivities.deviceInitiatedLife
    /// Longer than a report takes from where it is counted to where all is written.
    private static let settling = TimeInterval.seconds(60)
    /// How many activities are looked at when there are as many as may be. They are others each time, so what is hidden
    /// in a large set is found.
    private static let lookedAtOnce = 256

    /// Drops activities from a set that are not alive.
    /// - Returns: whether there was any.
    func forget(
        _ over: ([Entry]) async throws(StoreError) -> [UniqueID], _ key: String
    ) async throws(StoreError) -> Bool {
        let reply = try await value(RedisCommand("ZRANDMEMBER", key, OpenedActivities.lookedAtOnce, "WITHSCORES"))
        let settling = OpenedActivities.settling.nanoseconds
        // Whatever has a life left that is nearly whole was counted a moment ago.
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

    /// Those of a set that are not alive: they have ended, or were never made, or nothing of the user's is left in
    /// them.
    /// - Parameter insiderID: whose set it is; nil of the tenant's, where only users' own activities end with their
    ///   users.
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

    /// A user's places in an activity have ended, or are about to, or were left. When nothing of the user's is left in
    /// an activity of the user's own, it is not alive any more: nobody else is in it. May be repeated.
    /// - Parameter ending: slots that are about to end.
    func left(_ activity: Activity, ending: [UInt32] = []) async throws(StoreError) {
        guard let owner = activity.externalOwner else { return }
        let entry = Entry(id: activity.id, isSettled: true)
        guard try await haveLeft([(entry, owner)], ending: Set(ending), tenantID: activity.tenantID)[0] else { return }
        try await close(activity.id, tenantID: activity.tenantID)
        try await leave(owner, activity.id, tenantID: activity.tenantID)
    }

    /// Of each activity whether the user has no Live Activity of it any more.
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

    /// A slot without a delivery status is that of a device which is about to join, and which its next report gives
    /// one.
    private static func isAlive(_ status: UInt8) -> Bool {
        status == DeliveryStatus.absent || DeliveryStatus.isLive(status)
    }
}
