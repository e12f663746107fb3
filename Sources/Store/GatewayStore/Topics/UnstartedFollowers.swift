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

    /// Finds the reserved slots for which no start was recorded, because the driver was lost. Members' slots are to be
    /// started. The others are vacated, and so are those that the members have left.
    public func find(_ topic: TopicRecord, in record: ActivityRecord) async throws(StoreError) -> FollowerWork {
        let id = record.activity.id
        let noted = topic.placing.flatMap { range in (0..<UInt32(range.count)).map { range.first + $0 } }
        let isNoted = Set(noted)
        var work = FollowerWork()
        var users: Set<String> = []
        var newUsers: Set<String> = []
        var orphans: [UInt32] = []
        for page in SlotList.byPage(noted.sorted()) {
            let identities = try await self.identities(page.page, of: id)
            let cells = RosterCell.decode(try await run(roster.readCells(page.page, page.indexes, .pushToStart, id)))
            for (index, cell) in zip(page.indexes, cells) where cell.status == DeliveryStatus.registered {
                let slot = RosterGeometry.slot(page: page.page, index: index)
                guard let identity = identities.identity(index) else { continue }
                let membership = try await membership(of: identity, in: record.activity)
                guard membership?.slot(device: identity.device) == slot else {
                    orphans.append(slot)
                    continue
                }
                work.starts.append(slot)
                users.insert(identity.insiderID)
                // A user with another place is a member already.
                if membership?.slots.allSatisfy({ isNoted.contains($0.slot) }) == true {
                    newUsers.insert(identity.insiderID)
                }
            }
        }
        for page in SlotList.byPage(topic.leaving) {
            let identities = try await self.identities(page.page, of: id)
            for index in page.indexes {
                let slot = RosterGeometry.slot(page: page.page, index: index)
                guard let identity = identities.identity(index) else { continue }
                newUsers.remove(identity.insiderID)
                let membership = try await membership(of: identity, in: record.activity)
                // The device has the new place already.
                if membership?.slot(device: identity.device) != slot { orphans.append(slot) }
            }
        }
        // These slots are in no membership, and the devices have other slots or get them.
        try await roster.vacate(orphans, in: record.activity)
        work.users = newUsers.count
        let stances = try await followers.stances(Array(users), topic.id)
        work.source = stances.allSatisfy(\.isOwnWord) ? .device : .customer
        return work
    }

    private func membership(
        of identity: IdentityRun.Entry, in activity: Activity
    ) async throws(StoreError) -> Membership? {
        let key = Keys.user(activity.tenantID, identity.insiderID)
        return try await value(RedisCommand("HGET", key, UserRecord.membershipField(activity.id)))
            .bytes.flatMap(Membership.init)
    }
}
