import Delivery
import Encodings
public import LiveActivity
import RedisClient
import RosterCore
import Secrets
import TimeCore

// Activities that devices open by themselves (SDK-first). The first device that reports an external id makes the
// activity, and each that reports it gets a slot. The steps lie on different nodes, so each leaves what the next report
// can go on with:
//
// 1. The external id leads to an activity's id, the same for all devices.
// 2. The tenant's index lists the activity.
// 3. The activity is made by the first report that does not find it.
// 4. The device gets a slot. One that is not used in the end has no delivery status and is passed over.
// 5. The user's hash says that the slot is the device's, unless another report was faster.
// 6. The slot gets a delivery status and an identity: from here on broadcasts see the device.
// 7. The sync itself writes the token, and then checks whether the activity has ended.
extension StoredReports {
    /// The number of times that a membership is tried while other devices of the user join.
    static let joinAttempts = 16

    /// The place of a device in the activity that goes by an external id, which is made if need be. None for a device
    /// that has not reported itself, because its consent is not known. A Live Activity whose token or name is known in
    /// another activity has its place there.
    /// - Parameters:
    ///   - token: the update token that is reported, if one is.
    ///   - name: the system's id of the Live Activity, if the report has it.
    func joinDeviceInitiatedActivity(
        _ external: ExternalName, _ key: DeviceKey, tenantID: String, _ limits: TenantLimits, token: [UInt8]?,
        name: String?
    ) async throws(StoreError) -> ReportedPlace {
        let user = try await devices.user(key.insiderID, tenantID: tenantID)
        guard let user, let device = user.device(key.udid)?.device else { return .none }
        let reported = ReportedLiveActivity(token: token, name: name)
        let others = try await otherLogins.search(reported, key, user, ofType: external.type, tenantID: tenantID)
        if let known = others.known { return known }
        if !RouteKind(device).hasOneToken,
            let owner = try await otherOwner(of: token, name, user, key, than: external, tenantID: tenantID)
        {
            return try await place(owner, of: key, tenantID: tenantID)
        }
        let record = try await activities.findOrMake(external, tenantID: tenantID, opener: key.insiderID, limits)
        guard let slot = try await slot(of: key, in: record.activity, RouteKind(device), limits) else { return .none }
        if try await events.areOn(tenantID),
            try await roster.status(of: slot.slot, in: record.activity.id) == DeliveryStatus.absent
        {
            try await events.publishOpened(key, slot: slot.slot, in: record)
        }
        // Written before a report was cut off, mostly.
        try await roster.fill(slot.slot, key, device: slot.device, in: record.activity)
        return .place(record, slot: slot.slot)
    }

    /// Another activity whose Live Activity is reported, by its name, or by its token if it has no name; nil for none.
    private func otherOwner(
        of token: [UInt8]?, _ name: String?, _ user: UserRecord, _ key: DeviceKey, than external: ExternalName,
        tenantID: String
    ) async throws(StoreError) -> TypeSearch.Owner? {
        let named = name.flatMap { user.activity(ofLiveActivity: $0, of: key.udid) }
        let places = name == nil ? user.places(key.udid, now: wallClock()) : []
        guard named != nil || token != nil && !places.isEmpty else { return nil }
        let own = try await activities.deviceInitiatedActivity(external, tenantID: tenantID)
        if let named { return named == own ? nil : (named, .present) }
        guard let token else { return nil }
        return try await typeSearch.owner(of: token, places.filter { $0.id != own })
    }

    /// The activity that a device's app has opened and calls so, as long as it lives; nil when the device is not in it.
    public func deviceInitiatedActivity(
        _ name: ExternalName, of key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> ActivityRecord? {
        guard let id = try await activities.deviceInitiatedActivity(name, tenantID: tenantID),
            let record = try await place(of: key, in: id, tenantID: tenantID)?.record
        else { return nil }
        return record.activity.state == .started ? record : nil
    }

    /// The device's slot, a new one if it has none. Of concurrent reports of one user's devices one writes at a time.
    private func slot(
        of key: DeviceKey, in activity: Activity, _ kind: RouteKind, _ limits: TenantLimits
    ) async throws(StoreError) -> (slot: UInt32, device: UInt32)? {
        let userKey = Keys.user(activity.tenantID, key.insiderID)
        let field = UserRecord.membershipField(activity.id)
        var taken: UInt32?
        for _ in 0..<StoredReports.joinAttempts {
            let reply = try await value(roster.slotLookup(key, in: activity.id, tenantID: activity.tenantID))
            guard let parts = reply.array, parts.count == 2, let device = parts[1].bytes.flatMap(DeviceRecord.number)
            else { return nil }
            let old = parts[0].bytes ?? []
            let present = Membership(old)
            if let slot = present?.slot(device: device) { return (slot, device) }
            try await activities.opened.enter(key.insiderID, activity, limits)
            if taken == nil { taken = try await roster.takeSlot(kind, in: activity.id) }
            guard let slot = taken else { return nil }
            var membership = present ?? Membership(expiresAt: activity.keptUntil)
            membership.add(device: device, slot: slot)
            let hasJoined = try await run(
                Scripts.joinUser(user: userKey, field: field, expected: old, value: membership.bytes))
            guard hasJoined else { continue }
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
