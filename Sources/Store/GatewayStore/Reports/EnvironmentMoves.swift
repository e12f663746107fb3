import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Moves a device that has changed its environment, because its app came from the store and then from a developer.
/// Another kind of route reaches it now. In a started activity, its next report moves it to the band of that kind, in
/// steps that lie on different nodes:
///
/// 1. The sync is recorded in the old slot, and its outcome there decides about the Live Activity.
/// 2. An end that is still to be sent to it waits for the new slot as well, and the old slot is given up. If the report
///    is cut off here, the next one moves the device.
/// 3. The user's hash says that a new slot is the device's, unless another report was faster.
/// 4. The new slot gets a delivery status and an identity. If the report is cut off before, the next one does this.
/// 5. The sync is recorded in the new slot.
final class EnvironmentMoves: StoreFeature {
    let context: StoreContext
    private let roster: StoredRoster

    init(_ context: StoreContext, roster: StoredRoster) {
        self.context = context
        self.roster = roster
    }

    /// Returns the kind of route to whose band a device must move before its sync counts; nil for nearly all.
    /// - Parameters:
    ///   - outcome: The outcome of the write.
    ///   - changedKind: See `DeviceRecord.Stored.changedKind`.
    static func kind(after outcome: SyncMachine.Outcome, in slot: UInt32, now changedKind: RouteKind?) -> RouteKind? {
        switch outcome {
        // The device was cut off on its way.
        case .notMember: changedKind
        case .same, .written, .writtenAfterDismissal:
            RosterGeometry.kind(ofSlot: slot).single == changedKind ? nil : changedKind
        // Nothing was written, so it keeps its place.
        default: nil
        }
    }

    /// The place of a device that has moved.
    struct Move: Sendable {
        let slot: UInt32
        /// The newest update that was recorded before and is still to come to the former slot.
        var missed: MissedUpdate?
    }

    /// Gives a device that has changed its environment a place in the band of its kind of route.
    /// - Returns: nil when the device is not in the activity, or there is no slot left.
    func move(_ key: DeviceKey, to kind: RouteKind, in activity: Activity) async throws(StoreError) -> Move? {
        let userKey = Keys.user(activity.tenantID, key.insiderID)
        var taken: UInt32?
        var left: UInt32?
        var missed: MissedUpdate?
        for _ in 0..<StoredReports.joinAttempts {
            let reply = try await value(roster.slotLookup(key, in: activity.id, tenantID: activity.tenantID))
            guard let parts = reply.array, parts.count == 2, let number = parts[1].bytes.flatMap(DeviceRecord.number),
                let present = parts[0].bytes, var membership = Membership(present),
                let slot = membership.slot(device: number)
            else { return nil }
            // Another gateway has moved the device since. Its writes remain, and the report must be sent again.
            let changed = StoreError.unavailable("the device has changed meanwhile")
            guard parts[1].bytes.flatMap(DeviceRecord.decode).map(RouteKind.init) == kind else { throw changed }
            if try await isPlace(slot, of: kind, in: activity.id) {
                try await roster.fill(slot, key, device: number, in: activity)
                return Move(slot: slot, missed: missed)
            }
            guard left == nil || left == slot else { throw changed }
            if taken == nil {
                taken = try await roster.takeSlot(kind, in: activity.id)
                if let taken {
                    let coming = try await coming(to: slot, in: activity.id, isLeft: true)
                    missed = coming.update
                    if let end = coming.end { try await roster.remember([taken], end, in: activity) }
                    try await roster.carryFormerTokens([(slot, taken)], in: activity, areOver: false)
                    try await roster.vacate([slot], in: activity)
                    left = slot
                }
            }
            guard let new = taken else { return nil }
            membership.add(device: number, slot: new)
            // The next turn of the loop shows the result.
            _ = try await run(
                Scripts.joinUser(
                    user: userKey, field: UserRecord.membershipField(activity.id), expected: present,
                    value: membership.bytes))
        }
        throw .unavailable("too many reports of one user at a time")
    }

    /// True if a slot is of this kind and was not given up. A device that was cut off, and has its former environment
    /// again, needs another one.
    private func isPlace(_ slot: UInt32, of kind: RouteKind, in activity: UniqueID) async throws(StoreError) -> Bool {
        guard RosterGeometry.kind(ofSlot: slot).single == kind else { return false }
        return try await roster.status(of: slot, in: activity) != DeliveryStatus.removed
    }

    /// The broadcasts that are still to be sent to a slot, and may have come to it already. They are the newest update,
    /// and an end that waits for the slot's token or addresses the slot. The end of all is found by the activity.
    /// - Parameter isLeft: True if the device leaves the slot. A broadcast that has not left yet then never finds it.
    func coming(
        to slot: UInt32, in activity: UniqueID, isLeft: Bool = false
    ) async throws(StoreError) -> (end: PendingEnd?, update: MissedUpdate?) {
        var end = try await roster.pendingEnd(of: slot, in: activity)
        var update: MissedUpdate?
        let open = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(activity))).fields
            .compactMap { OpenBroadcast($0, $1) }
        let replies = try await values(
            open.map {
                RedisCommand(
                    "HMGET", Keys.broadcast(activity, $0.id), "scope", "not_before", BroadcastOrder.metField(slot),
                    "superseded")
            })
        for (broadcast, reply) in zip(open, replies) {
            guard let fields = reply.array, fields.count == 4 else { continue }
            let isAddressed = fields[0].bytes.map { SlotList.decode($0).contains(slot) } ?? broadcast.isToAll
            guard isAddressed else { continue }
            // A broadcast to all is for the slots of the time when it was recorded.
            if broadcast.isToAll, !isLeft, WallTime(milliseconds: fields[1].int ?? 0) > wallClock() { continue }
            switch broadcast.kind {
            case .start: break
            case .end: if !broadcast.isToAll { end = end ?? .broadcast(broadcast.id) }
            // A device that reports again and again is sent it once.
            case .update where !fields[2].isNull: break
            // A newer one takes its place, also where this one has the higher order because it came late.
            case .update where !fields[3].isNull: break
            case .update:
                if broadcast.order > update?.order ?? -1 { update = MissedUpdate(broadcast.id, order: broadcast.order) }
            }
        }
        // Its content is kept for the device, also if the update ends before.
        if let update {
            _ = try await run(
                Scripts.noteBroadcast(
                    broadcast: Keys.broadcast(activity, update.id), fields: [BroadcastOrder.keptForLateField, "1"]))
        }
        return (end, update)
    }
}
