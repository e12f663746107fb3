import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// The places of devices in an activity.
extension StoredRoster {
    /// The most slots of a band of one activity.
    static let maximumSlots = 50_000_000

    /// Reads the place of a device in an activity. `slot(_:)` decodes the reply.
    func slotLookup(_ key: DeviceKey, in activity: UniqueID, tenantID: String) -> RedisCommand {
        RedisCommand(
            "HMGET", Keys.user(tenantID, key.insiderID), UserRecord.membershipField(activity),
            UserRecord.deviceField(key.udid))
    }

    /// The slot, by the reply to `slotLookup`; nil when the device is not in the activity.
    static func slot(_ reply: RedisValue) -> UInt32? {
        guard let parts = reply.array, parts.count == 2, let membership = parts[0].bytes.flatMap(Membership.init),
            let device = parts[1].bytes.flatMap(DeviceRecord.number)
        else { return nil }
        return membership.slot(device: device)
    }

    /// The next slot of a band; nil when there is none.
    func takeSlot(_ kind: RouteKind, in activity: UniqueID) async throws(StoreError) -> UInt32? {
        let slot = try await run(
            Scripts.takeSlot(
                activity: Keys.activity(activity), most: StoredRoster.maximumSlots, field: BandSizes.field(kind),
                first: Int(RosterGeometry.firstSlot(of: kind))))
        return slot.flatMap { UInt32(exactly: $0) }
    }

    /// Makes a slot the place of a device that shows its Live Activity, unless the slot has a device already.
    func fill(
        _ slot: UInt32, _ key: DeviceKey, device number: UInt32, in activity: Activity
    ) async throws(StoreError) {
        let (id, page) = (activity.id, RosterGeometry.page(ofSlot: slot))
        var identity = IdentityRun()
        identity.append(insiderID: key.insiderID, device: number)
        _ = try await run(
            Scripts.placeDevice(
                statusPage: Keys.statusPage(id, page), updatePage: Keys.updatePage(id, page),
                identities: Keys.identityPage(id, page), index: RosterGeometry.index(ofSlot: slot),
                expiresAt: activity.keptUntil.milliseconds, status: [DeliveryStatus.startAccepted],
                identity: identity.bytes))
    }

    /// The end that the Live Activity in a slot must get as soon as it reports an update token.
    func pendingEnd(of slot: UInt32, in activity: UniqueID) async throws(StoreError) -> PendingEnd? {
        let key = Keys.pendingEnds(activity, RosterGeometry.partition(ofSlot: slot))
        return try await value(RedisCommand("HGET", key, Int(slot))).string.flatMap { PendingEnd($0) }
    }

    /// Records slots whose Live Activity the broadcast must end as soon as they report an update token.
    /// - Parameter isRecorded: Pass false before the broadcast is recorded. An end that is already pending then stays.
    public func remember(
        _ slots: [UInt32], endedBy broadcast: UniqueID, in activity: Activity, isRecorded: Bool = true
    ) async throws(StoreError) {
        try await remember(slots, .broadcast(broadcast), in: activity, isRecorded: isRecorded)
    }

    /// Records an end for slots, as the other method does.
    func remember(
        _ slots: [UInt32], _ end: PendingEnd, in activity: Activity, isRecorded: Bool = true
    ) async throws(StoreError) {
        let commands = Dictionary(grouping: slots, by: RosterGeometry.partition(ofSlot:)).flatMap { partition, slots in
            let key = Keys.pendingEnds(activity.id, partition)
            return slots.map {
                // The field is the slot's number in the activity, not in the partition.
                RedisCommand(isRecorded ? "HSET" : "HSETNX", key, Int($0), end.text)
            } + [RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds)]
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Has slots know the tokens of those that their devices leave. Before these are vacated.
    /// - Parameter areOver: True if the slots are for other Live Activities than those of the former slots.
    func carryFormerTokens(
        _ slots: [(left: UInt32, taken: UInt32)], in activity: Activity, areOver: Bool
    ) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        let calls = slots.map { left, _ in
            let keys = updateKeys(activity.id, left)
            return Scripts.readFormerTokens(
                updatePage: keys.updatePage, statusPage: keys.statusPage, counters: keys.counters,
                index: RosterGeometry.index(ofSlot: left), slot: Int(left))
        }
        let replies = try await values(calls.map(\.command))
        var commands: [RedisCommand] = []
        for (taken, (call, reply)) in zip(slots.map(\.taken), zip(calls, replies)) {
            let digests = try call.reply(reply)
            guard !digests.isEmpty else { continue }
            commands.append(
                Scripts.keepFormerTokens(
                    counters: Keys.counters(activity.id, RosterGeometry.partition(ofSlot: taken)), slot: Int(taken),
                    digests: digests, expiresAt: activity.keptUntil.milliseconds, areOver: areOver ? 1 : 0
                ).command)
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// Gives up slots that their devices have left.
    func vacate(_ slots: [UInt32], in activity: Activity) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        let cell = TokenPage.cell(reason: .notInSegment)
        _ = try await values(
            slots.flatMap { slot in
                [
                    putStartCell(activity, slot: slot, cell, status: DeliveryStatus.removed),
                    clearUpdateCell(activity, slot: slot, cell, status: DeliveryStatus.removed, asOf: nil)
                        .command,
                ]
            })
    }
}
