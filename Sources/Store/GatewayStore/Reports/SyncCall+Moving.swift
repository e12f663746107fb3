import Delivery
import LiveActivity
import RedisClient
import RosterCore

// A device that has changed its environment, and whose slot is in the band of the former one.
extension SyncCall {
    /// Finds an update that is under way to all and may have passed the new slot before its token was there. It was
    /// recorded while the device moved, or was known to a report that was cut off. At worst it comes twice.
    func lookForMissed(_ known: KnownActivity, _ slot: UInt32) {
        hasLookedForMissed = true
        let (reports, activity) = (reports, known.record.activity.id)
        wait(for: { () throws(StoreError) in try await reports.moves.coming(to: slot, in: activity).update }) {
            [self] update in
            if let update, update.order > missed?.order ?? -1 { missed = update }
            conclude(known, slot)
        }
    }

    /// Moves the device, and records the sync in its new slot.
    func move(to kind: RouteKind, _ known: KnownActivity) {
        hasMoved = true
        let (reports, device, activity) = (reports, device, known.record.activity)
        wait(for: { () throws(StoreError) in try await reports.moves.move(device, to: kind, in: activity) }) {
            [self] move in
            guard let move else { return finish(.other(.notFound)) }
            missed = move.missed
            writeAgain(known, move.slot)
        }
    }
}
