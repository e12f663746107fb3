import LiveActivity
import RedisClient
import RosterCore

/// Finds followers whose driver was lost between their slots and their start.
public final class UnstartedFollowers: StoreFeature {
    let context: StoreContext
    private let followers: StoredFollowers
    private let roster: StoredRoster

    init(_ context: StoreContext, followers: StoredFollowers, roster: StoredRoster) {
        self.context = context
        self.followers = followers
        self.roster = roster
    }

    /// The findings about slots.
    private struct Found {
        var starts: [UInt32] = []
        var users: Set<String> = []
        /// The users without another place, who are not members yet.
        var newUsers: Set<String> = []
        /// Slots of no membership. The devices have other slots, or get them.
        var orphans: [UInt32] = []
    }

    /// Finds the reserved slots for which no start was recorded, because the driver was lost. Members' slots are to be
    /// started. The others are vacated, and so are those that the members have left.
    public func find(_ topic: TopicRecord, in record: ActivityRecord) async throws(StoreError) -> FollowerWork {
        var found = Found()
        try await findPlaced(topic, in: record.activity, &found)
        try await findLeft(topic, in: record.activity, &found)
        try await roster.vacate(found.orphans, in: record.activity)
        var work = FollowerWork()
        work.starts = found.starts
        work.users = found.newUsers.count
        let stances = try await followers.stances(Array(found.users), topic.id)
        work.source = stances.allSatisfy(\.isOwnWord) ? .device : .customer
        return work
    }

    private func findPlaced(
        _ topic: TopicRecord, in activity: Activity, _ found: inout Found
    ) async throws(StoreError) {
        let noted = Set(topic.placing.flatMap { range in (0..<UInt32(range.count)).map { range.first + $0 } })
        for page in SlotList.byPage(noted.sorted()) {
            let identities = try await self.identities(page.page, of: activity.id)
            let call = roster.readCells(page.page, page.indexes, .pushToStart, activity.id)
            let cells = RosterCell.decode(try await run(call))
            for (index, cell) in zip(page.indexes, cells) where cell.status == DeliveryStatus.registered {
                let slot = RosterGeometry.slot(page: page.page, index: index)
                guard let identity = identities.identity(index) else { continue }
                let membership = try await membership(of: identity, in: activity)
                guard membership?.slot(device: identity.device) == slot else {
                    found.orphans.append(slot)
                    continue
                }
                found.starts.append(slot)
                found.users.insert(identity.insiderID)
                if membership?.slots.allSatisfy({ noted.contains($0.slot) }) == true {
                    found.newUsers.insert(identity.insiderID)
                }
            }
        }
    }

    private func findLeft(
        _ topic: TopicRecord, in activity: Activity, _ found: inout Found
    ) async throws(StoreError) {
        for page in SlotList.byPage(topic.leaving) {
            let identities = try await self.identities(page.page, of: activity.id)
            for index in page.indexes {
                let slot = RosterGeometry.slot(page: page.page, index: index)
                guard let identity = identities.identity(index) else { continue }
                found.newUsers.remove(identity.insiderID)
                let membership = try await membership(of: identity, in: activity)
                if membership?.slot(device: identity.device) != slot { found.orphans.append(slot) }
            }
        }
    }

    private func membership(
        of identity: IdentityRun.Entry, in activity: Activity
    ) async throws(StoreError) -> Membership? {
        let key = Keys.user(activity.tenantID, identity.insiderID)
        return try await value(RedisCommand("HGET", key, UserRecord.membershipField(activity.id)))
            .bytes.flatMap(Membership.init)
    }
}
