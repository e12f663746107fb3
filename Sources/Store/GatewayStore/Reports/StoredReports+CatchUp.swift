public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The newest update of an activity, which a device has missed.
public struct MissedUpdate: Equatable, Sendable {
    /// The update's broadcast.
    public let id: UniqueID
    let order: Int
    let hasEnded: Bool
    /// Whether it is noted whom it meets.
    let isNoted: Bool

    /// One that is under way.
    init(_ id: UniqueID, order: Int) {
        self.id = id
        self.order = order
        hasEnded = false
        isNoted = false
    }

    init?(_ parts: [String]) {
        guard parts.count == 3, let id = UniqueID(parts[0]), let order = Int(parts[1]) else { return nil }
        self.id = id
        self.order = order
        hasEnded = parts[2] == "1"
        isNoted = true
    }
}

extension MissedUpdate {
    /// Asks for the update whose content is kept: see `Scripts.findNewestUpdate`.
    static func newest(of activity: Activity) -> RedisCommand {
        RedisCommand(
            script: Scripts.findNewestUpdate, keys: [Keys.activity(activity.id)],
            arguments: [Keys.broadcastPrefix(activity.id)])
    }

    /// Asks whether it meets a device's token: see `Scripts.hasMet`.
    func hasMet(slot: UInt32, in activity: Activity) -> RedisCommand {
        RedisCommand(
            script: Scripts.hasMet, keys: [Keys.readPage(activity.id, RosterGeometry.page(ofSlot: slot))],
            arguments: [order, RosterGeometry.index(ofSlot: slot), hasEnded ? "1" : ""])
    }
}

extension StoredReports {
    /// Records that an update must be sent to a device that has missed it.
    public func addCatchUp(
        _ update: MissedUpdate, in activity: Activity, slot: UInt32
    ) async throws(StoreError) {
        try await jobs.add(.catchUp(slot: slot), of: update.id, in: activity.id)
        guard update.isNoted else {
            _ = try? await run(
                Scripts.noteBroadcast, [Keys.broadcast(activity.id, update.id)], [BroadcastOrder.metField(slot), "1"])
            return
        }
        // Should this fail, the same report, when it is repeated, has the update sent once more.
        _ = try? await run(
            Scripts.noteMet, [Keys.readPage(activity.id, RosterGeometry.page(ofSlot: slot))],
            [update.order, RosterGeometry.index(ofSlot: slot), activity.keptUntil.milliseconds])
    }
}
