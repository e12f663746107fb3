import Delivery
import LiveActivity
import RedisClient
import RosterCore

extension ActivityReader {
    /// The most devices in one page of a listing.
    public static let longestListing = 1000

    /// The devices of an activity's segment in the order of their slots, with their states.
    ///
    /// One call reads a bounded part of the roster. If few devices match, the page may have less than `limit` devices,
    /// or none, and still a cursor. Devices of unknown users are left out.
    /// - Parameters:
    ///   - state: Only devices in this state; nil means all.
    ///   - limit: The most devices; clamped to 1 to `longestListing`.
    ///   - cursor: The end of an earlier page; nil for the beginning.
    public func devices(
        of record: ActivityRecord, in state: DeviceState? = nil, limit: Int, from cursor: DeviceCursor? = nil
    ) async throws(StoreError) -> DeviceListing {
        let limit = min(max(1, limit), ActivityReader.longestListing)
        let (slots, next) = try await listedSlots(of: record, in: state, limit, cursor?.slot ?? 0)
        var listing = DeviceListing(next: next.map(DeviceCursor.init))
        let identities = try await identities(of: slots.map(\.slot), in: record.activity.id)
        let entries = zip(slots, identities).compactMap { slot, identity in
            identity.map { IdentifiedSlot(slot: slot, identity: $0) }
        }
        listing.devices.reserveCapacity(entries.count)
        // Users are read in groups, because a user's hash may be long.
        for start in stride(from: 0, to: entries.count, by: ActivityReader.usersAtOnce) {
            let part = entries[start..<min(entries.count, start + ActivityReader.usersAtOnce)]
            listing.devices += try await named(part, tenantID: record.activity.tenantID)
        }
        return listing
    }

    private struct ListedSlot {
        let slot: UInt32
        let cohort: Cohort
        let state: DeviceState
        let endReason: EndReason?
        let outcome: PushOutcomeNote?
    }

    private struct IdentifiedSlot {
        let slot: ListedSlot
        let identity: IdentityRun.Entry
    }

    /// The roster pages in memory at a time, about a quarter of a megabyte. One call reads at most 23 pages, some
    /// 20,000 slots: it starts no group of pages after `rosterPagesPerCall`.
    private static let rosterPagesAtOnce = 8
    private static let rosterPagesPerCall = 16
    private static let usersAtOnce = 100

    /// Returns the slots in the state from the first one on, and the next slot to read.
    private func listedSlots(
        of record: ActivityRecord, in state: DeviceState?, _ limit: Int, _ first: UInt32
    ) async throws(StoreError) -> (slots: [ListedSlot], next: UInt32?) {
        let pages = Array(record.slots.pages.drop { $0 < RosterGeometry.page(ofSlot: first) })
        let isStartOver = try await isStartOver(record)
        var slots: [ListedSlot] = []
        var (start, count) = (0, 1)
        while start < min(pages.count, ActivityReader.rosterPagesPerCall) {
            // One page is mostly enough.
            let part = pages[start..<min(pages.count, start + count)]
            start += count
            count = min(2 * count, ActivityReader.rosterPagesAtOnce)
            for page in try await statePages(Array(part), of: record, isStartOver) {
                for index in record.slots.indexes(inPage: page.number).joined() {
                    let slot = RosterGeometry.slot(page: page.number, index: index)
                    guard slot >= first, let found = page.state(index), state == nil || found == state else { continue }
                    // This slot starts the next page of the listing.
                    if slots.count == limit { return (slots, slot) }
                    slots.append(
                        ListedSlot(
                            slot: slot, cohort: record.cohort(ofPage: page.number), state: found,
                            endReason: page.endReason(index, found),
                            outcome: page.outcomes.outcome(index)))
                }
            }
        }
        guard pages.count > start else { return (slots, nil) }
        return (slots, RosterGeometry.slot(page: pages[start], index: 0))
    }

    /// The stored states of a page's slots.
    private struct StatePage {
        let number: Int
        let statuses: [UInt8]
        let updateTokens: TokenPage
        let outcomes: OutcomePage
        let isStartOver: Bool
        let channelEnd: EndReason?

        func state(_ index: Int) -> DeviceState? {
            guard index < statuses.count else { return nil }
            return DeviceState(
                status: statuses[index], token: updateTokens.updateTokenState(index), isStartOver: isStartOver,
                isEndedByChannel: channelEnd != nil)
        }

        func endReason(_ index: Int, _ state: DeviceState) -> EndReason? {
            guard state == .ended else { return nil }
            return DeliveryStatus.endReason(statuses[index]) ?? channelEnd ?? .tokenInvalid
        }
    }

    private func statePages(
        _ pages: [Int], of record: ActivityRecord, _ isStartOver: Bool
    ) async throws(StoreError) -> [StatePage] {
        let activity = record.activity.id
        let contents: [PageKey.Content] = [.statuses, .updateTokens, .outcomes]
        let read = try await self.pages(pages.flatMap { page in contents.map { PageKey($0, activity, page) } })
        return pages.indices.map { number in
            StatePage(
                number: pages[number], statuses: read[3 * number], updateTokens: TokenPage(read[3 * number + 1]),
                outcomes: OutcomePage(read[3 * number + 2]), isStartOver: isStartOver,
                channelEnd: record.channelEnd(ofPage: pages[number]))
        }
    }

    /// The identities of slots in ascending order; nil for a slot without an identity.
    private func identities(
        of slots: [UInt32], in activity: UniqueID
    ) async throws(StoreError) -> [IdentityRun.Entry?] {
        let pages = SlotList.byPage(slots)
        var identities: [IdentityRun.Entry?] = []
        for start in stride(from: 0, to: pages.count, by: ActivityReader.rosterPagesAtOnce) {
            let part = pages[start..<min(pages.count, start + ActivityReader.rosterPagesAtOnce)]
            for (page, runs) in zip(part, try await identityRuns(part.map(\.page), of: activity)) {
                let identity = IdentityPage(runs)
                identities += page.indexes.map { identity.identity($0) }
            }
        }
        return identities
    }

    /// Returns the devices with their udids, which come from their users' hashes.
    private func named(
        _ entries: ArraySlice<IdentifiedSlot>, tenantID: String
    ) async throws(StoreError) -> [ListedDevice] {
        // Slots of one user's devices are mostly neighbors.
        var insiderIDs: [String] = []
        var userOfEntry: [Int] = []
        for entry in entries {
            let insiderID = entry.identity.insiderID
            // The store compares names by bytes.
            if insiderIDs.last?.utf8.elementsEqual(insiderID.utf8) != true { insiderIDs.append(insiderID) }
            userOfEntry.append(insiderIDs.count - 1)
        }
        let users = try await devices.users(insiderIDs, tenantID: tenantID)
        return zip(entries, userOfEntry).compactMap { entry, user in
            users[user]?.udid(ofDevice: entry.identity.device).map {
                ListedDevice(
                    key: DeviceKey(insiderID: entry.identity.insiderID, udid: $0), cohort: entry.slot.cohort,
                    state: entry.slot.state,
                    endReason: entry.slot.endReason, lastOutcome: entry.slot.outcome)
            }
        }
    }
}

extension UserRecord {
    /// The udid of the device with a number.
    func udid(ofDevice number: UInt32) -> String? {
        devices.first { $0.number == number }?.udid
    }
}
