import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// The states of the places that users have in a topic's activity.
extension StoredTopicActivities {
    struct Place {
        let slot: UInt32
        let status: UInt8
        /// True if its token has been dead for `Healing.grace`, or its silence means no Live Activity.
        fileprivate(set) var isGone: Bool
        /// The time at which the start was refused due to its content; nil if it was not. Another start with this
        /// content would be refused too.
        fileprivate(set) var contentRefusedAt: WallTime?
        /// The time at which the Live Activity counts as lost unless the device reports another token. Nil if its token
        /// is not dead, or that time is over.
        fileprivate(set) var lostAt: WallTime?

        /// True if a start for it is in progress, or its Live Activity may be shown.
        var isKept: Bool {
            !isGone
                && [DeliveryStatus.registered, DeliveryStatus.startAccepted, DeliveryStatus.startUnknown].contains(
                    status)
        }
        /// True if its Live Activity is missing.
        var isLost: Bool {
            isGone || status == DeliveryStatus.startFailed || status == DeliveryStatus.startUnsent
        }
        var isLive: Bool { DeliveryStatus.isLive(status) }
        var hasEnded: Bool { DeliveryStatus.endReason(status) != nil }
    }

    /// The refusals because of the content of a start: the provider's, and the gateway's own for a broadcast that it
    /// cannot render.
    private static let contentRefusals: Set<String?> = ["PayloadTooLarge", "Unsendable"]

    /// The places of each user.
    /// - Parameter silence: A device silent this long after its start has no Live Activity; nil for never.
    func places(
        of users: [UserRecord?], in record: ActivityRecord, _ silence: TimeInterval?
    ) async throws(StoreError) -> [[Place]] {
        let id = record.activity.id
        let slots = users.map { $0?.membership(in: id)?.slots.map(\.slot) ?? [] }
        let pages = SlotList.byPage(slots.joined().sorted())
        let cells = try await roster.cells(pages.map { roster.readCells($0.page, $0.indexes, .update, id) })
        var found: [UInt32: Place] = [:]
        for (page, cells) in zip(pages, cells) {
            // Devices that follow a channel need not report.
            let followsChannel = record.channels[RosterGeometry.kind(ofPage: page.page)] != nil
            let counted = followsChannel ? nil : silence
            var outcomes: OutcomePage?
            let refused = [DeliveryStatus.startFailed, DeliveryStatus.startUnsent]
            let isDead = { (cell: RosterCell) in cell.content.isEmpty && cell.mark == TokenPage.deadTokenMark }
            if counted != nil || cells.contains(where: { refused.contains($0.status) || isDead($0) }) {
                outcomes = OutcomePage(try await self.pages([PageKey(.outcomes, id, page.page)])[0])
            }
            for (index, cell) in zip(page.indexes, cells) where DeliveryStatus.isMember(cell.status) {
                let slot = RosterGeometry.slot(page: page.page, index: index)
                var place = Place(slot: slot, status: cell.status, isGone: false)
                if refused.contains(cell.status), let outcome = outcomes?.outcome(index),
                    StoredTopicActivities.contentRefusals.contains(outcome.failure)
                {
                    place.contentRefusedAt = outcome.at
                }
                if isDead(cell) {
                    let refusedAt =
                        outcomes?.outcome(index)?.at ?? record.activity.startedAt ?? record.activity.createdAt
                    place.isGone = place.isLive && refusedAt + Healing.grace <= wallClock()
                    place.lostAt = place.isLive && !place.isGone ? refusedAt + Healing.grace : nil
                } else if let counted, cell.content.isEmpty, cell.mark == 0, cell.status == DeliveryStatus.startAccepted
                {
                    let startedAt =
                        outcomes?.outcome(index)?.at ?? record.activity.startedAt ?? record.activity.createdAt
                    place.isGone = startedAt + counted <= wallClock()
                }
                found[slot] = place
            }
        }
        return slots.map { $0.compactMap { found[$0] } }
    }
}
