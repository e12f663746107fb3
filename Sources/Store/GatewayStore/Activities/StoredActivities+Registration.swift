public import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredActivities {
    /// The customer's settings for a new activity, without its users.
    public typealias Registration = ActivityRegistration

    /// Makes an activity of the users' eligible devices. Without an eligible device it makes none, and `activityID` is
    /// nil.
    ///
    /// The activity becomes visible with the last write. If the gateway dies earlier, the keys expire unused.
    /// - Parameter insiderIDs: The users, each at most once.
    public func register(
        _ registration: Registration, insiderIDs: [String], tenantID: String
    ) async throws(StoreError) -> RegistrationReport {
        let records = try await devices.users(insiderIDs, tenantID: tenantID, placesIn: nil)
        var draft = RosterDraft(
            insiderIDs, records, type: registration.type, served: registration.served,
            follows: registration.channelUse != nil)
        var report = draft.report
        guard report.devices > 0 else { return report }
        let now = wallClock()
        let activity = Activity(
            id: try await ActivityNames(context: context).draw(), tenantID: tenantID, type: registration.type,
            createdAt: now, endsAt: registration.endsAt, activityIDAttribute: registration.activityIDAttribute,
            label: registration.label)
        var bands = BandSizes()
        draft.place(&bands)
        let writer = RosterWriter(activity: activity.id, expiresAt: activity.keptUntil.milliseconds, draft: draft)
        do throws(StoreError) {
            _ = try await values(prepared(activity, registration) + writer.freshPages())
            try await join(writer, activity, now: now)
            try await publish(activity, &report, registration, bands)
        } catch {
            await roster.forget(activity, bands.slots)
            throw error
        }
        return report
    }

    /// Makes a prepared activity visible, with all its slots confirmed. Until then, only the caller knows its id.
    func publish(
        _ activity: Activity, _ report: inout RegistrationReport, _ registration: Registration, _ bands: BandSizes
    ) async throws(StoreError) {
        _ = try await value(visible(activity, report, registration, bands))
        noteDue(Keys.shard(activity.id), at: nextDue(activity))
        try await addToIndex(activity)
        report.activityID = activity.id
    }

    private func visible(
        _ activity: Activity, _ report: RegistrationReport, _ registration: Registration, _ bands: BandSizes
    ) -> RedisCommand {
        var fields: [any RedisArgumentConvertible] = [
            "tenant", activity.tenantID, "type", activity.type, "state", "\(activity.state.rawValue)",
            "created_at", "\(activity.createdAt.milliseconds)", "ends_at", "\(activity.endsAt.milliseconds)",
            "devices", "\(report.slots)", "users", "\(report.users + report.waitingUsers)",
            BandSizes.field(.apns), "\(bands[.apns])", "slots", bands.slots.bytes,
        ]
        for (kind, count) in bands.sizes where kind != .apns {
            fields += [BandSizes.field(kind), "\(count)"] as [any RedisArgumentConvertible]
        }
        if let topic = registration.topic {
            // A device that joins later gets a slot in another partition than those of the start.
            let reserved = bands.wholePartitions
            fields += ["topic", topic.name, BandSizes.field(.apns), "\(reserved[.apns])"]
            for (kind, count) in reserved.sizes where kind != .apns {
                fields += [BandSizes.field(kind), "\(count)"] as [any RedisArgumentConvertible]
            }
        }
        if let attribute = activity.activityIDAttribute { fields += ["id_attribute", attribute] }
        if let label = activity.label { fields += ["label", label] }
        if registration.catchesUp { fields += ["catch_up", "1"] }
        for text in registration.healing?.fields ?? [] { fields.append(text) }
        if let interval = registration.minimumInterval {
            fields += ["min_interval", "\(interval.millisecondsRoundedUp)"]
        }
        // If most devices have a budget of their own for urgent updates, the activity has none.
        if 2 * report.frequentDevices > report.devices { fields += ["frequent", "1"] }
        if let use = registration.channelUse { fields += ["channel", use.text] }
        return makeActivity(activity, fields)
    }

    /// Returns the command that writes the hash of a new activity and its end in the due queue, in one step.
    func makeActivity(_ activity: Activity, _ fields: [any RedisArgumentConvertible]) -> RedisCommand {
        let call = Scripts.makeActivity(
            activity: Keys.activity(activity.id), due: dueQueue(activity.id),
            expiresAt: activity.keptUntil.milliseconds, item: DueItem.activity(activity.id).description,
            dueAt: nextDue(activity), fields: fields + ["ended", "0"])
        return call.command
    }

    /// The outcome of a change of a segment.
    public enum SegmentChange<Report: Sendable>: Sendable {
        case changed(Report)
        /// The activity is no longer `registered`, or holds as many devices as it can.
        case refused
        /// Another change is in progress.
        case busy
    }

    /// Adds the users' eligible devices to a registered activity.
    /// - Parameters:
    ///   - insiderIDs: The users, each at most once.
    ///   - served: see `Registration.served`.
    public func addUsers(
        _ insiderIDs: [String], to id: UniqueID, served: Set<RouteKind>? = nil
    ) async throws(StoreError) -> SegmentChange<RegistrationReport> {
        try await changingSegment(id) {
            (record: ActivityRecord, lock: StoreLock) async throws(StoreError) -> RegistrationReport? in
            let activity = record.activity
            let records = try await self.devices.users(insiderIDs, tenantID: activity.tenantID, placesIn: id)
            // No other call has changed the segment up to here. A later call finds different memberships.
            guard try await lock.renew() else { return nil }
            var draft = RosterDraft(
                insiderIDs, records, type: activity.type, served: served,
                follows: record.channelUse != nil, joining: record)
            guard draft.report.devices > 0 else { return draft.report }
            let wanted = draft.wanted
            guard let before = try await self.reserve(wanted, in: id) else { return nil }
            var bands = before
            draft.place(&bands)
            let writer = RosterWriter(activity: id, expiresAt: activity.keptUntil.milliseconds, draft: draft)
            guard lock.isHeld else { return nil }
            _ = try await self.values(writer.addedCells())
            guard try await self.join(writer, activity, now: self.wallClock(), under: lock) else { return nil }
            // A user without confirmed slots is not a member yet.
            let newUsers = draft.users.count { user in
                user.record.membership(in: id).map { record.isMember($0) } != true
            }
            let isConfirmed = try await self.run(
                Scripts.confirmSlots(
                    activity: Keys.activity(id), rosterLock: Keys.rosterLock(id), devices: draft.entries.count,
                    users: newUsers, token: lock.token,
                    ranges: wanted.sizes.flatMap { [Int(before.next($0.kind)), Int(bands.next($0.kind))] }))
            return isConfirmed ? draft.report : nil
        }
    }

    /// Reserves slots.
    /// - Returns: The former sizes of these bands; nil if the activity is not registered or a band is full.
    private func reserve(_ wanted: BandSizes, in id: UniqueID) async throws(StoreError) -> BandSizes? {
        let fields = wanted.sizes.flatMap { [BandSizes.field($0.kind), "\($0.count)"] }
        let sizes = try await run(
            Scripts.reserveSlots(activity: Keys.activity(id), most: StoredRoster.maximumSlots, bands: fields))
        guard let sizes, sizes.count == wanted.sizes.count, sizes.allSatisfy({ $0 >= 0 }) else { return nil }
        return zip(wanted.sizes, sizes).reduce(into: BandSizes()) { $0[$1.0.kind] = $1.1 }
    }

    /// Longer than a gateway is usually suspended. No script can compare the lock with writes to the users' keys, and
    /// only the holder may make these writes.
    private static let lockLife = TimeInterval.seconds(30)

    /// Changes the segment without another change or a start in between.
    /// - Parameter body: The change. Returns nil if the activity refuses it or the lock is lost.
    func changingSegment<Report: Sendable>(
        _ id: UniqueID, _ body: (ActivityRecord, StoreLock) async throws(StoreError) -> Report?
    ) async throws(StoreError) -> SegmentChange<Report> {
        guard
            let lock = try await StoreLock.take(
                Keys.rosterLock(id), in: redis, life: StoredActivities.lockLife)
        else { return .busy }
        let result: Result<Report?, StoreError>
        do {
            let record = try await activity(id)
            if let record, record.activity.state == .registered {
                try await finishRemoval(from: record.activity, lock)
                result = .success(try await body(record, lock))
            } else {
                result = .success(nil)
            }
        } catch {
            result = .failure(error)
        }
        await lock.giveBack()
        return try result.get().map { .changed($0) } ?? .refused
    }

    /// Writes the memberships, and refreshes the cells of users that have changed since they were read, or whose report
    /// is in progress. A topic checks these users once more, because a device may have been added.
    /// - Parameter lock: The lock of a segment that other calls may change; nil for a new activity. With a lock,
    ///   memberships that have changed since they were read are not written.
    /// - Returns: False if the lock is lost or a membership has changed. Some memberships may be written by then.
    @discardableResult func join(
        _ writer: RosterWriter, _ activity: Activity, now: WallTime, under lock: StoreLock? = nil
    ) async throws(StoreError) -> Bool {
        let draft = writer.draft
        let blank = Membership(expiresAt: activity.keptUntil)
        // With a lock, users are written in chunks, so that a lost lock is noticed. Otherwise, one call writes them
        // all.
        let chunk = lock == nil ? max(1, draft.users.count) : StoredActivities.chunk
        var changed: [RosterDraft.Entry] = []
        var commands: [RedisCommand] = []
        for start in stride(from: 0, to: draft.users.count, by: chunk) {
            if let lock, !lock.isHeld { return false }
            let users = start..<min(start + chunk, draft.users.count)
            let replies = try await values(
                count: 2 * users.count,
                command: writer.joins(
                    users, tenantID: activity.tenantID, expiresAt: blank, comparing: lock != nil),
                read: writer.readJoin(from: start, comparing: lock != nil))
            for index in users {
                let (join, version) = (replies[2 * (index - start)], replies[2 * (index - start) + 1])
                // The code below handles erased users.
                if join == .refused, version != .gone { return false }
                let record = draft.users[index].record
                if version != .asRead || record.hasReportInProgress(at: now) {
                    changed += draft.entries[draft.users[index].entries]
                }
                let forget = record.forgetOutdated(draft.users[index].insiderID, activity.tenantID, now: now)
                if let forget { commands.append(forget) }
            }
        }
        if !commands.isEmpty { _ = try await values(commands) }
        try await refresh(changed, activity)
        return true
    }

    /// Refreshes the cells of devices whose users have changed since they were read, and removes erased ones.
    private func refresh(_ changed: [RosterDraft.Entry], _ activity: Activity) async throws(StoreError) {
        var erased: [UInt32] = []
        let end = MonotonicTime.now() + StoredDevices.reportPatience
        for entry in changed {
            let (key, tenantID) = (entry.key, activity.tenantID)
            let found = try await devices.settledUser(key.insiderID, tenantID: tenantID, by: end)
            guard let fresh = found, fresh.device(key.udid)?.number == entry.device else {
                erased.append(entry.slot)
                // An erased user has no other field.
                guard found?.version.isEmpty == true else { continue }
                let field = UserRecord.membershipField(activity.id)
                _ = try await value(RedisCommand("HDEL", Keys.user(tenantID, key.insiderID), field))
                continue
            }
            try await devices.carryChange(of: key, fresh, tenantID: tenantID)
            try await devices.topics.deviceChanged(key.insiderID, fresh, tenantID: tenantID)
        }
        if !erased.isEmpty { _ = try await roster.erase(erased, in: activity) }
    }

    /// The number of users written between two checks of the lock.
    static let chunk = 200
}
