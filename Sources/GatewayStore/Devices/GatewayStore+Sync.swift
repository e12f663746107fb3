public import LiveActivity
import RedisClient
import TimeCore

/// How a device names the activity that it reports for.
public enum ActivityReference: Equatable, Sendable {
    case id(UniqueID)
    /// The newest started activity of this type that the device was pushed.
    case newest(type: String)
    /// By the id that iOS gave to the card.
    case system(String)
}

/// What a device's report came to.
public enum SyncOutcome: Sendable {
    /// Nothing that the device belongs to goes by that reference.
    case notFound
    /// The activity is registered, and nothing was sent to it yet.
    case notStarted
    /// Noted (or known before). When the activity or this card has been ended meanwhile, the broadcast to be sent to
    /// the device at once.
    case synced(ActivityRecord, slot: UInt32, lateEnd: UniqueID?)
}

extension GatewayStore {
    /// Notes the update token of a device's card.
    public func sync(
        _ key: DeviceKey, token: [UInt8], reference: ActivityReference, systemActivityID: String?, tenantID: String
    ) async throws(StoreError) -> SyncOutcome {
        guard let place = try await find(reference, key, tenantID: tenantID) else { return .notFound }
        let activity = place.record.activity
        let slot = place.slot
        guard activity.state != .registered else { return .notStarted }
        if activity.state == .dead, place.record.endBroadcast == nil { return .notFound }
        if let systemActivityID {
            _ = try await value(
                RedisCommand(
                    "HSET", Keys.user(tenantID, key.insiderID), UserRecord.systemActivityField(systemActivityID),
                    activity.id.bytes + Array(key.udid.utf8)))
        }
        let content = UpdateToken.encode(
            token, reportedAfter: wallClock().milliseconds - activity.createdAt.milliseconds)
        let reply = try await run(
            Scripts.putUpdateCell, updateKeys(activity.id, slot),
            [
                RosterGeometry.index(ofSlot: slot), TokenPage.cell(content: content),
                activity.keptUntil.milliseconds, Int(slot),
            ]
        ).array ?? []
        switch reply.first?.int {
        case 0, 1: break
        case 2: return .synced(place.record, slot: slot, lateEnd: nil)
        default: return .notFound
        }
        if let pending = reply.last?.string.flatMap({ UniqueID($0) }) {
            return .synced(place.record, slot: slot, lateEnd: pending)
        }
        // Read after the token was written: an end either finds the token, or is found here.
        let ended = try await value(RedisCommand("HGET", Keys.activity(activity.id), "end_broadcast"))
        return .synced(place.record, slot: slot, lateEnd: ended.string.flatMap { UniqueID($0) })
    }

    /// Notes that a device's card is gone. Nil when the device has no such card.
    public func dismiss(
        _ key: DeviceKey, reference: ActivityReference, tenantID: String
    ) async throws(StoreError) -> UniqueID? {
        guard let place = try await find(reference, key, tenantID: tenantID),
            place.record.activity.state != .registered
        else { return nil }
        _ = try await values([
            clearUpdateCell(
                place.record.activity, slot: place.slot, TokenPage.cell(reason: .ended),
                fate: Fate.ended(.userDismissed), asOf: nil)
        ])
        return place.record.activity.id
    }

    private func find(
        _ reference: ActivityReference, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> (record: ActivityRecord, slot: UInt32)? {
        switch reference {
        case .id(let id):
            let field = UserRecord.membershipField(id)
            let replies = try await values([
                RedisCommand("HGET", Keys.user(tenantID, key.insiderID), field),
                RedisCommand("HGETALL", Keys.activity(id)),
            ])
            guard let slot = replies[0].bytes.flatMap(Membership.init)?.slot(udid: key.udid),
                let record = ActivityRecord(id, replies[1].fields), record.activity.tenantID == tenantID,
                record.activity.endsAt > wallClock()
            else { return nil }
            return (record, slot)
        case .system(let systemID):
            let field = UserRecord.systemActivityField(systemID)
            let reply = try await value(RedisCommand("HGET", Keys.user(tenantID, key.insiderID), field))
            guard let bytes = reply.bytes, bytes.dropFirst(16).elementsEqual(key.udid.utf8),
                let id = UniqueID(bytes: bytes.prefix(16))
            else { return nil }
            return try await find(.id(id), key, tenantID: tenantID)
        case .newest(let type):
            return try await newest(type, key, tenantID: tenantID)
        }
    }

    private func newest(
        _ type: String, _ key: DeviceKey, tenantID: String
    ) async throws(StoreError) -> (record: ActivityRecord, slot: UInt32)? {
        let now = wallClock()
        let memberships = try await user(key.insiderID, tenantID: tenantID)?.memberships ?? []
        let places = memberships.compactMap { id, membership in
            membership.expiresAt > now ? membership.slot(udid: key.udid).map { (id: id, slot: $0) } : nil
        }
        let records = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        let fates = try await values(
            places.map {
                let index = RosterGeometry.index(ofSlot: $0.slot)
                let page = RosterGeometry.page(ofSlot: $0.slot)
                return RedisCommand("GETRANGE", Keys.fatePage($0.id, page), index, index)
            })
        var newest: (record: ActivityRecord, slot: UInt32)?
        for ((place, fields), fate) in zip(zip(places, records), fates) {
            guard let record = ActivityRecord(place.id, fields.fields), record.activity.type == type,
                record.activity.endsAt > now, let startedAt = record.activity.startedAt,
                Fate.mayShowCard(fate.bytes?.first ?? Fate.absent)
            else { continue }
            if let best = newest?.record.activity.startedAt, best >= startedAt { continue }
            newest = (record, place.slot)
        }
        return newest
    }
}
