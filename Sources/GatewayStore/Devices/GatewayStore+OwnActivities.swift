import Delivery
import Encodings
import LiveActivity
import RedisClient
import Secrets
import TimeCore

// Activities that devices open by themselves (SDK-first). The first device that reports an external id makes the
// activity, and each that reports it gets a slot. The steps lie on different nodes, so each leaves what the next report
// can go on with:
//
// 1. The external id leads to an activity's id, the same for everybody.
// 2. The tenant's index lists the activity.
// 3. The activity is made, by whoever finds that it is not there.
// 4. The device gets a slot. One that is not used in the end has no fate and is passed over.
// 5. The user's hash says that the slot is the device's, unless another report was faster.
// 6. The slot gets a fate and an identity: from here on broadcasts see the device.
// 7. The sync itself writes the token, and looks then whether the activity has ended.
extension GatewayStore {
    /// How long such an activity lives.
    public static let ownLife = Lifecycle.longestLife

    /// The longest external id that is taken, in UTF-8 bytes.
    public static let longestExternalID = 250

    /// How often a membership is tried while others of the same user join.
    static let joinAttempts = 16

    /// The place of a device in the activity that goes by an external id, which is made if need be. Nil for a device that
    /// has not said what it is: nobody knows whether it may be pushed to.
    func joinOwnActivity(
        _ externalID: String, type: String, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> (record: ActivityRecord, slot: UInt32)? {
        let user = try await user(key.insiderID, tenantID: tenantID)
        guard let device = user?.device(key.udid)?.device else { return nil }
        let record = try await findOrMake(externalID, type: type, tenantID: tenantID)
        // What nothing reaches has a place all the same: the activity tells that its card is there.
        let kind = RouteKind(device) ?? .apns
        guard let slot = try await slot(of: key, in: record.activity, kind) else { return nil }
        // Written before a report was cut off, mostly.
        try await fill(slot.slot, key, device: slot.device, in: record.activity)
        return (record, slot.slot)
    }

    /// The next slot of a band; nil when there is none.
    func takeSlot(_ kind: RouteKind, in activity: UniqueID) async throws(StoreError) -> UInt32? {
        let reply = try await run(
            Scripts.takeSlot, [Keys.activity(activity)],
            [GatewayStore.maximumSlots, BandSizes.field(kind), Int(RosterGeometry.firstSlot(of: kind))])
        return reply.int.flatMap { UInt32(exactly: $0) }
    }

    /// Makes a slot the place of a device that shows its card, unless it is somebody's.
    func fill(
        _ slot: UInt32, _ key: DeviceKey, device number: UInt32, in activity: Activity
    ) async throws(StoreError) {
        let (id, page) = (activity.id, RosterGeometry.page(ofSlot: slot))
        var identity = IdentityRun()
        identity.append(insiderID: key.insiderID, device: number)
        _ = try await run(
            Scripts.placeDevice, [Keys.fatePage(id, page), Keys.updatePage(id, page), Keys.identityPage(id, page)],
            [
                RosterGeometry.index(ofSlot: slot), activity.keptUntil.milliseconds, [Fate.startAccepted],
                identity.bytes,
            ])
    }

    /// The id of the activity that goes by an external id; nil when none does, or has for too long not.
    public func ownActivity(_ externalID: String, type: String, tenantID: String) async throws(StoreError) -> UniqueID?
    {
        let key = externalKey(externalID, type, tenantID)
        return try await value(RedisCommand("HGET", key, "activity")).string.flatMap { UniqueID($0) }
    }

    private func externalKey(_ externalID: String, _ type: String, _ tenantID: String) -> String {
        let name = Array(type.utf8) + [0] + Array(externalID.utf8)
        return Keys.externalActivity(tenantID, Hexadecimal.encode(Digest.sha256(name)))
    }

    private func findOrMake(
        _ externalID: String, type: String, tenantID: String
    ) async throws(StoreError) -> ActivityRecord {
        let now = wallClock()
        let endsAt = now + GatewayStore.ownLife
        let reply = try await run(
            Scripts.claimExternalActivity, [externalKey(externalID, type, tenantID)],
            [
                UniqueID.random().description, now.milliseconds, endsAt.milliseconds,
                Activity.keptUntil(endsAt).milliseconds,
            ])
        guard let parts = reply.array, parts.count == 3, let id = parts[0].string.flatMap({ UniqueID($0) }),
            let createdAt = parts[1].int, let end = parts[2].int
        else { throw .damaged("an external id") }
        if let record = try await activity(id) { return record }
        let made = WallTime(milliseconds: createdAt)
        let activity = Activity(
            id: id, tenantID: tenantID, type: type, state: .started, createdAt: made, startedAt: made,
            endsAt: WallTime(milliseconds: end), externalID: externalID)
        try await addToIndex(activity)
        let fields: [any RedisArgumentConvertible] = [
            "tenant", tenantID, "type", type, "state", "\(activity.state.rawValue)", "created_at", "\(createdAt)",
            "started_at", "\(createdAt)", "ends_at", "\(end)", "external_id", externalID, "devices", "0", "users", "0",
            BandSizes.field(.apns), "0",
        ]
        // Whoever else reports at this moment may have made it.
        _ = try await value(makeActivity(activity, fields))
        guard let record = try await self.activity(id) else { throw .damaged("an activity that was just made") }
        return record
    }

    /// The device's slot, a new one if it has none. Of concurrent reports of one user's devices one writes at a time.
    private func slot(
        of key: DeviceKey, in activity: Activity, _ kind: RouteKind
    ) async throws(StoreError) -> (slot: UInt32, device: UInt32)? {
        let userKey = Keys.user(activity.tenantID, key.insiderID)
        let field = UserRecord.membershipField(activity.id)
        var taken: UInt32?
        for _ in 0..<GatewayStore.joinAttempts {
            let reply = try await value(slotLookup(key, in: activity.id, tenantID: activity.tenantID))
            guard let parts = reply.array, parts.count == 2, let device = parts[1].bytes.flatMap(DeviceRecord.number)
            else { return nil }
            let old = parts[0].bytes ?? []
            let present = Membership(old)
            if let slot = present?.slot(device: device) { return (slot, device) }
            if taken == nil { taken = try await takeSlot(kind, in: activity.id) }
            guard let slot = taken else { return nil }
            var membership = present ?? Membership(expiresAt: activity.keptUntil)
            membership.add(device: device, slot: slot)
            let joined = try await run(Scripts.joinUser, [userKey], [field, old, membership.bytes])
            if joined.int == -1 { throw .full }
            guard joined.int == 1 else { continue }
            try await countIn(activity.id, newUser: present == nil)
            return (slot, device)
        }
        throw .unavailable("too many reports of one user at a time")
    }

    private func countIn(_ id: UniqueID, newUser: Bool) async throws(StoreError) {
        let key = Keys.activity(id)
        _ = try await values(
            [RedisCommand("HINCRBY", key, "devices", 1)] + (newUser ? [RedisCommand("HINCRBY", key, "users", 1)] : []))
    }
}
