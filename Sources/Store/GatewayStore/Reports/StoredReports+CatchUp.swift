public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The newest update of an activity, missed by a device.
public struct MissedUpdate: Equatable, Sendable {
    /// The id of the update's broadcast.
    public let id: UniqueID
    let order: Int
    let hasEnded: Bool
    /// True if the page records of readings show the tokens that it has met. Else the broadcast has a field for each.
    let isNoted: Bool

    /// Creates an update that is under way.
    init(_ id: UniqueID, order: Int) {
        self.id = id
        self.order = order
        hasEnded = false
        isNoted = false
    }

    init?(_ newest: Scripts.FindNewestUpdateReply) {
        guard let id = UniqueID(newest.id) else { return nil }
        self.id = id
        order = newest.order
        hasEnded = newest.hasEnded
        isNoted = true
    }
}

extension MissedUpdate {
    /// The call that reads the update whose content is kept.
    static func newest(of activity: Activity) -> ScriptCall<Scripts.FindNewestUpdateReply?> {
        Scripts.findNewestUpdate(activity: Keys.activity(activity.id), prefix: Keys.broadcastPrefix(activity.id))
    }

    /// The call that checks if the update meets a device's token.
    func hasMet(slot: UInt32, in activity: Activity) -> ScriptCall<Bool> {
        Scripts.hasMet(
            reading: Keys.readPage(activity.id, RosterGeometry.page(ofSlot: slot)), order: order,
            index: RosterGeometry.index(ofSlot: slot), isOver: hasEnded ? "1" : "")
    }
}

extension StoredReports {
    /// Records a job that sends the update to a device that has missed it.
    public func addCatchUp(
        _ update: MissedUpdate, in activity: Activity, slot: UInt32
    ) async throws(StoreError) {
        try await jobs.add(slot: slot, of: update.id, in: activity.id)
        guard update.isNoted else {
            _ = try? await run(
                Scripts.noteBroadcast(
                    broadcast: Keys.broadcast(activity.id, update.id), fields: [BroadcastOrder.metField(slot), "1"]))
            return
        }
        // If this fails, a repeated report has the update sent once more.
        _ = try? await run(
            Scripts.noteMet(
                reading: Keys.readPage(activity.id, RosterGeometry.page(ofSlot: slot)), order: update.order,
                index: RosterGeometry.index(ofSlot: slot), expiresAt: activity.keptUntil.milliseconds))
    }
}
