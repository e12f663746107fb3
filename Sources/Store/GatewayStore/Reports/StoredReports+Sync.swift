import Delivery
public import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// The reference in a device's report to its activity.
public enum ActivityReference: Equatable, Sendable {
    /// By id; the type is compared when it is given.
    case id(UniqueID, type: String?)
    /// By type alone. It is the activity whose Live Activity has, or had, the reported system id or token, else the
    /// only one that it can be. See `ReportedType`.
    case ofType(String)
    /// The activity that a topic of the tenant has, or had last; the type is compared when it is given.
    case topic(String, type: String?)
    /// By the id that iOS gave to the Live Activity.
    case system(String)
    /// An external id that the app chose for an activity of this type. All users share it unless `isOwn` is true. A
    /// sync creates the activity and the device's place if they do not exist.
    case external(String, type: String, isOwn: Bool = false)

    /// True if the activity is named, and not the Live Activity.
    var namesActivity: Bool {
        switch self {
        case .id, .topic, .external: true
        case .ofType, .system: false
        }
    }
}

/// The outcome of a device's report.
public enum SyncOutcome: Sendable {
    /// The reference leads to no Live Activity of the device, or only the app can end it.
    case notFound
    /// The activity is of this type, not of the one reported.
    case typeMismatch(registered: String)
    /// The activity is registered, and nothing was sent to it yet.
    case notStarted
    /// The report names a type alone and may be for any of these activities.
    case ambiguous([ActivityCandidate])
    /// The report is recorded. With `lateEnd`, the activity or this Live Activity has ended meanwhile, and that
    /// broadcast must be sent to the device at once.
    case synced(ActivityRecord, slot: UInt32, lateEnd: UniqueID?)
    /// The report is recorded. The device has missed this update, which must be sent to it at once.
    case behind(ActivityRecord, slot: UInt32, update: MissedUpdate)
    /// The report is recorded, although the device's Live Activity had ended for this reason. The Live Activity on the
    /// device must be ended at once. It is a new one after a dismissal, and otherwise one that has missed its end.
    case endedBefore(ActivityRecord, slot: UInt32, EndReason)
    /// The activity's time is up, and the answer is that of `notFound`. A Live Activity that is still there is ended.
    /// Either an end is about to be sent to the segment, or `lateEnd` must be sent at once.
    case over(ActivityRecord, slot: UInt32, lateEnd: UniqueID?)
}

extension StoredReports {
    /// Records the update token of a device's Live Activity. Without a token, records that the Live Activity is there.
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

    /// Records a sync on the reactor. `completion` is called there, once, possibly before this returns.
    func sync(
        _ key: DeviceKey, token: [UInt8]?, reference: ActivityReference, systemActivityID: String?, tenantID: String,
        limits: TenantLimits, completion: @escaping @Sendable (SyncEnd) -> Void
    ) {
        func call(_ lookup: SyncLookup) -> SyncCall {
            SyncCall(
                self, key, tenantID: tenantID, token: token, systemActivityID: systemActivityID, lookup,
                completion: completion)
        }
        switch reference {
        case .id(let id, let type): return call(SyncLookup(type: type)).begin(id)
        case .topic(let name, let type):
            return call(SyncLookup(type: type, isByTopic: true)).begin(TopicID(tenantID: tenantID, name: name))
        case .ofType, .system, .external: break
        }
        // The search by external id has compared the places of other logins, and without a name also the device's own.
        // The other searches may have skipped both, so a token that is new to the place is compared with them.
        var otherPlaces = SyncLookup.OtherPlaces.ofOtherLogins
        if case .external = reference { otherPlaces = systemActivityID == nil ? .none : .ofDevice }
        call(SyncLookup(otherPlaces: otherPlaces)).search { () throws(StoreError) in
            try await self.find(reference, key, tenantID: tenantID, limits, token: token, name: systemActivityID)
        }
    }

    /// On the reactor.
    func knownActivity(_ id: UniqueID) -> KnownActivity? {
        knownActivities.find(id, now: redis.reactor.now)
    }

    /// Checks if an activity has ended, with a command at the end of this turn. On the reactor.
    func readEnd(of activity: KnownActivity, for call: SyncCall, round: Int) {
        gathered.endReads.ask(activity, on: redis, for: call, round: round)
    }

    /// On the reactor.
    func keep(_ record: ActivityRecord) -> KnownActivity {
        knownActivities.add(record, now: redis.reactor.now)
    }
}
