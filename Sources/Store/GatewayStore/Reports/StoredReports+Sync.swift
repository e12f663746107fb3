import Delivery
public import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// How a device names the activity that it reports for.
public enum ActivityReference: Equatable, Sendable {
    /// By id; the type is compared when it is given.
    case id(UniqueID, type: String?)
    /// That of this type whose Live Activity has the id or the token that is reported, and where none is known to have it, the
    /// newest started activity of this type that the device was pushed.
    case newest(type: String)
    /// By the id that iOS gave to the Live Activity.
    case system(String)
    /// By a name that the app chose for an activity of this type which it opened by itself; the user's own when `isOwn`, else
    /// shared by all users. A sync makes the activity, and the device's place in it, when they are not there.
    case external(String, type: String, isOwn: Bool = false)
}

/// What a device's report came to.
public enum SyncOutcome: Sendable {
    /// Nothing that the device belongs to goes by that reference.
    case notFound
    /// The activity is of this type, not of the one reported.
    case typeMismatch(registered: String)
    /// The activity is registered, and nothing was sent to it yet.
    case notStarted
    /// Noted (or known before). When the activity or this Live Activity has been ended meanwhile, the broadcast to be
    /// sent to the device at once.
    case synced(ActivityRecord, slot: UInt32, lateEnd: UniqueID?)
    /// Noted, and the activity's newest update is to be sent to the device at once: it has missed it.
    case behind(ActivityRecord, slot: UInt32, update: MissedUpdate)
    /// Noted, although the device's Live Activity had ended by itself for this reason: what it shows is to be ended at
    /// once. Of one that was dismissed this is another one, any other has missed its end.
    case endedBefore(ActivityRecord, slot: UInt32, EndReason)
    /// As for a device that belongs to nothing, since the activity's time is up. But a Live Activity that is still
    /// there is ended: by the end that is about to be sent to the segment, or by the one that was, which is to be sent
    /// to it at once.
    case over(ActivityRecord, slot: UInt32, lateEnd: UniqueID?)
}

extension StoredReports {
    /// Notes the update token of a device's Live Activity; without one, that the Live Activity is there.
    public func sync(
        _ key: DeviceKey, token: [UInt8]?, reference: ActivityReference, systemActivityID: String?, tenantID: String,
        limits: TenantLimits = .standard
    ) async throws(StoreError) -> SyncOutcome {
        let stopped = Result<SyncOutcome, StoreError>.failure(.unavailable("the reactor has stopped"))
        return try await redis.reactor.call(stopped: stopped) { done in
            self.sync(
                key, token: token, reference: reference, systemActivityID: systemActivityID, tenantID: tenantID,
                limits: limits
            ) { done($0.result) }
        }.get()
    }

    /// The same on the reactor. `completion` is called there, once, possibly before this returns.
    func sync(
        _ key: DeviceKey, token: [UInt8]?, reference: ActivityReference, systemActivityID: String?, tenantID: String,
        limits: TenantLimits, completion: @escaping @Sendable (SyncCall.End) -> Void
    ) {
        let call = SyncCall(
            self, key, tenantID: tenantID, token: token, systemActivityID: systemActivityID, completion: completion)
        if case .id(let id, let type) = reference { return call.begin(id, type: type) }
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let waiting = call
        Task {
            let result: Result<(record: ActivityRecord, slot: UInt32)?, StoreError>
            do throws(StoreError) {
                result = .success(
                    try await find(
                        reference, key, tenantID: tenantID, limits, token: token, name: systemActivityID))
            } catch {
                result = .failure(error)
            }
            let taken = redis.reactor.execute {
                switch result {
                case .success(let place?): waiting.begin(place.record, slot: place.slot)
                case .success(nil): completion(.other(.notFound))
                case .failure(let error): completion(.failed(error))
                }
            }
            if !taken { completion(.failed(.unavailable("the reactor has stopped"))) }
        }
    }

    /// On the reactor.
    func knownActivity(_ id: UniqueID) -> KnownActivity? {
        knownActivities.find(id, now: redis.reactor.now)
    }

    /// Looks whether an activity has ended, with a command that is sent at the end of this turn. On the reactor.
    func readEnd(of activity: KnownActivity, for call: SyncCall, round: Int) {
        endReads.ask(activity, on: redis, for: call, round: round)
    }

    /// On the reactor.
    func keep(_ record: ActivityRecord) -> KnownActivity {
        knownActivities.add(record, now: redis.reactor.now)
    }

    /// - Parameters:
    ///   - token: the update token that is reported, if one is.
    ///   - name: what iOS calls the Live Activity, if the report says so.
    func find(
        _ reference: ActivityReference, _ key: DeviceKey, tenantID: String, _ limits: TenantLimits = .standard,
        token: [UInt8]? = nil, name: String? = nil
    ) async throws(StoreError) -> (record: ActivityRecord, slot: UInt32)? {
        switch reference {
        case .id(let id, _):
            let replies = try await values([
                roster.slotLookup(key, in: id, tenantID: tenantID), RedisCommand("HGETALL", Keys.activity(id)),
            ])
            guard let slot = StoredRoster.slot(replies[0]),
                let record = ActivityRecord(id, replies[1].fields), record.activity.tenantID == tenantID,
                record.activity.endsAt > wallClock()
            else { return nil }
            return (record, slot)
        case .system(let systemID):
            guard let id = try await activityID(ofLiveActivity: systemID, key, tenantID: tenantID) else { return nil }
            return try await find(.id(id, type: nil), key, tenantID: tenantID)
        case .external(let externalID, let type, let isOwn):
            let name = ExternalName(externalID, type: type, owner: isOwn ? key.insiderID : nil)
            return try await joinDeviceInitiatedActivity(name, key, tenantID: tenantID, limits)
        case .newest(let type):
            if let name, let id = try await activityID(ofLiveActivity: name, key, tenantID: tenantID) {
                let place = try await find(.id(id, type: nil), key, tenantID: tenantID)
                // One that is gone is no other's.
                guard let place, !place.record.activity.type.utf8.elementsEqual(type.utf8) else { return place }
            }
            return try await newest(type, key, tenantID: tenantID, token: token)
        }
    }

    private typealias Place = (record: ActivityRecord, slot: UInt32)

    private func newest(
        _ type: String, _ key: DeviceKey, tenantID: String, token: [UInt8]?
    ) async throws(StoreError) -> Place? {
        let now = wallClock()
        let user = try await devices.user(key.insiderID, tenantID: tenantID)
        let places = user?.places(key.udid, now: now) ?? []
        // Whoever was cut off while it moved has a place that is nobody's, from which this report takes it.
        let mayBeMoving = user?.device(key.udid)?.changedKind != nil
        let records = try await values(places.map { RedisCommand("HGETALL", Keys.activity($0.id)) })
        let started = zip(places, records).compactMap { place, fields -> Place? in
            guard let record = ActivityRecord(place.id, fields.fields),
                record.activity.type.utf8.elementsEqual(type.utf8), record.activity.endsAt > now,
                record.activity.startedAt != nil
            else { return nil }
            return (record, place.slot)
        }.sorted { ($0.record.activity.startedAt ?? now) > ($1.record.activity.startedAt ?? now) }
        // An app that reports again what it reported before says nothing of what was started since.
        if started.count > 1, let token, let owner = try await owner(of: token, among: started) { return owner }
        for (place, status) in zip(
            started, try await statuses(of: started.map { ($0.record.activity.id, $0.slot) }))
        {
            if mayBeMoving, !DeliveryStatus.isMember(status) { return place }
            if try await mayShowLiveActivity(status, place.slot, place.record) { return place }
        }
        return nil
    }

    /// The place that has this update token.
    private func owner(of token: [UInt8], among places: [Place]) async throws(StoreError) -> Place? {
        let replies = try await values(
            places.map {
                roster.readCells(
                    RosterGeometry.page(ofSlot: $0.slot), [RosterGeometry.index(ofSlot: $0.slot)], .update,
                    $0.record.activity.id)
            })
        return zip(places, replies).first { _, reply in
            guard let content = CellReply.decode(reply).first?.content,
                let range = UpdateToken.token(in: content.indices)
            else { return false }
            return content[range].elementsEqual(token)
        }?.0
    }

    /// Whether the device may show the activity's Live Activity. Delivery statuses are written when a page is done;
    /// until then a device may have its Live Activity already, if the start that is under way is for it.
    private func mayShowLiveActivity(_ status: UInt8, _ slot: UInt32, _ record: ActivityRecord) async throws(StoreError)
        -> Bool
    {
        guard status == DeliveryStatus.registered else { return DeliveryStatus.mayShowLiveActivity(status) }
        let id = record.activity.id
        // The activity's own start, restarts, and those of followers who come late.
        let starts = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(id))).fields
            .compactMap { OpenBroadcast($0, $1) }.filter { $0.kind == .start }
        let records = try await values(
            starts.map { RedisCommand("HMGET", Keys.broadcast(id, $0.id), "state", "scope") })
        return records.contains { reply in
            guard let fields = reply.array, fields.count == 2,
                let state = fields[0].string.flatMap(BroadcastState.init), state == .queued || state == .running
            else { return false }
            return fields[1].bytes.map { SlotList.decode($0).contains(slot) } ?? record.slots.contains(slot)
        }
    }
}
