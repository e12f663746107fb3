import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

// Adds the data of a page's devices that only the records of their users have.
extension StoredPages {
    /// Reads the registration tokens that are not in the page. For a start, skips devices with too many Live
    /// Activities. On the reactor, where `completion` is called once.
    func complete(
        _ page: PageOfDevices, of order: BroadcastOrder,
        _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        perform(
            { () throws(StoreError) in
                var page = page
                if page.hasMarks {
                    page = page.withTokens(try await self.tokens(page.marked, inPage: page.page, of: order))
                }
                if order.kind == .start, self.context.rules.maximumPerDevice > 0 {
                    page = page.without(try await self.crowded(page, of: order), .deviceLimit)
                }
                return page
            }, then: completion)
    }

    /// The indexes of a start's page whose devices may show the most Live Activities of other activities already.
    private func crowded(_ page: PageOfDevices, of order: BroadcastOrder) async throws(StoreError) -> Set<Int> {
        guard !page.devices.isEmpty else { return [] }
        let activity = order.activity
        let identities = try await self.identities(page.page, of: activity.id)
        let found = page.devices.compactMap { device in
            identities.identity(device.index).map { (device.index, $0) }
        }
        let insiderIDs = Set(found.map(\.1.insiderID)).sorted()
        let users = Dictionary(
            uniqueKeysWithValues: zip(insiderIDs, try await devices.users(insiderIDs, tenantID: activity.tenantID)))
        let now = wallClock()
        // The index of the page by the slot of the same device in other activities.
        var places: [UniqueID: [UInt32: Int]] = [:]
        for (index, identity) in found {
            for (id, membership) in (users[identity.insiderID] ?? nil)?.memberships ?? []
            where id != activity.id && membership.expiresAt > now {
                if let slot = membership.slot(device: identity.device) { places[id, default: [:]][slot] = index }
            }
        }
        let ids = Array(places.keys)
        let states = try await values(ids.map { RedisCommand("HGET", Keys.activity($0), "state") })
        var counts: [Int: Int] = [:]
        for (id, state) in zip(ids, states) where state.int == Int64(Activity.State.started.rawValue) {
            let owners = places[id] ?? [:]
            let pages = SlotList.byPage(owners.keys.sorted())
            let cells = try await roster.cells(pages.map { roster.readCells($0.page, $0.indexes, .update, id) })
            for (page, cells) in zip(pages, cells) {
                for (index, cell) in zip(page.indexes, cells)
                where SlotState(status: cell.status, report: cell.report).mayShow {
                    guard let owner = owners[RosterGeometry.slot(page: page.page, index: index)] else { continue }
                    counts[owner, default: 0] += 1
                }
            }
        }
        return Set(counts.filter { $0.value >= context.rules.maximumPerDevice }.keys)
    }
}
