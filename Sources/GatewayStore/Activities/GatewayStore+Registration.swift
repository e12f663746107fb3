public import LiveActivity
import RedisClient
public import TimeCore

extension GatewayStore {
    /// What a customer registers, beside the users.
    public struct Registration: Sendable {
        public var type: String
        public var endsAt: WallTime
        public var activityIDAttribute: String?

        public init(type: String, endsAt: WallTime, activityIDAttribute: String? = nil) {
            self.type = type
            self.endsAt = endsAt
            self.activityIDAttribute = activityIDAttribute
        }
    }

    /// Makes an activity of the users' eligible devices; none when no device is eligible (`activityID` is nil then).
    ///
    /// The activity becomes visible with the last write. A gateway that dies before leaves keys behind that nothing
    /// refers to and that expire by themselves.
    /// - Parameter insiderIDs: each at most once.
    public func register(
        _ registration: Registration, insiderIDs: [String], tenantID: String
    ) async throws(StoreError) -> RegistrationReport {
        let records = try await users(insiderIDs, tenantID: tenantID)
        let draft = RosterDraft(insiderIDs, records, type: registration.type)
        var report = draft.report
        guard !draft.entries.isEmpty else { return report }
        let now = wallClock()
        let activity = Activity(
            id: .random(), tenantID: tenantID, type: registration.type, createdAt: now, endsAt: registration.endsAt,
            activityIDAttribute: registration.activityIDAttribute)
        let writer = RosterWriter(
            activity: activity.id, expiresAt: activity.keptUntil.milliseconds, draft: draft, firstSlot: 0)
        _ = try await values(writer.freshPages())
        try await join(writer, activity, draft, now: now)
        let slots = SlotRanges([0..<UInt32(draft.entries.count)])
        let key = Keys.activity(activity.id)
        var fields = RedisCommandBuilder("HSET")
        for field in [
            key, "tenant", tenantID, "type", registration.type, "state", "\(Activity.State.registered.rawValue)",
            "created_at", "\(now.milliseconds)", "ends_at", "\(registration.endsAt.milliseconds)",
            "devices", "\(report.devices)", "users", "\(report.users)", "reserved", "\(draft.entries.count)", "slots",
        ] {
            fields.append(field)
        }
        fields.append(slots.bytes)
        if let attribute = registration.activityIDAttribute {
            fields.append("id_attribute")
            fields.append(attribute)
        }
        _ = try await values([
            fields.finish(), RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds),
        ])
        report.activityID = activity.id
        return report
    }

    /// Adds the users' eligible devices to a registered activity. Nil when it has been started meanwhile.
    /// - Parameter insiderIDs: each at most once.
    public func addUsers(
        _ insiderIDs: [String], to activity: Activity
    ) async throws(StoreError) -> RegistrationReport? {
        let records = try await users(insiderIDs, tenantID: activity.tenantID)
        let draft = RosterDraft(insiderIDs, records, type: activity.type, joining: activity.id)
        guard !draft.entries.isEmpty else { return draft.report }
        let count = draft.entries.count
        let key = Keys.activity(activity.id)
        guard let first = try await run(Scripts.reserveSlots, [key], [count]).int else { return nil }
        let writer = RosterWriter(
            activity: activity.id, expiresAt: activity.keptUntil.milliseconds, draft: draft, firstSlot: UInt32(first))
        _ = try await values(writer.addedCells())
        try await join(writer, activity, draft, now: wallClock())
        let newUsers = draft.users.count { $0.record.membership(in: activity.id) == nil }
        let confirmed = try await run(
            Scripts.confirmSlots, [key], [Int(first), Int(first) + count, count, newUsers])
        return confirmed.int == 1 ? draft.report : nil
    }

    /// Takes users out of a registered activity; those that are not in it are passed over. Nil when it has been started
    /// meanwhile.
    public func removeUsers(
        _ insiderIDs: [String], from activity: Activity
    ) async throws(StoreError) -> (users: Int, devices: Int)? {
        let field = UserRecord.membershipField(activity.id)
        let replies = try await values(
            insiderIDs.map { RedisCommand("HGET", Keys.user(activity.tenantID, $0), field) })
        var commands: [RedisCommand] = []
        var removed = (users: 0, devices: 0)
        for (insiderID, reply) in zip(insiderIDs, replies) {
            guard let membership = reply.bytes.flatMap(Membership.init) else { continue }
            removed.users += 1
            for (_, slot) in membership.slots {
                removed.devices += 1
                commands.append(
                    putStartCell(activity, slot: slot, TokenPage.cell(reason: .notInSegment), fate: Fate.removed))
            }
            commands.append(RedisCommand("HDEL", Keys.user(activity.tenantID, insiderID), field))
        }
        guard !commands.isEmpty else { return removed }
        _ = try await values(commands)
        let confirmed = try await run(
            Scripts.confirmSlots, [Keys.activity(activity.id)], [0, 0, -removed.devices, -removed.users])
        return confirmed.int == 1 ? removed : nil
    }

    /// Writes the memberships, and refreshes the cells of users that have changed since they were read.
    private func join(
        _ writer: RosterWriter, _ activity: Activity, _ draft: RosterDraft, now: WallTime
    ) async throws(StoreError) {
        let blank = Membership(expiresAt: activity.keptUntil)
        let unchanged = try await values(writer.joins(tenantID: activity.tenantID, expiresAt: blank))
        var commands: [RedisCommand] = []
        for (user, reply) in zip(draft.users, unchanged) {
            if let forget = forgetOutdated(user.record, user.insiderID, activity.tenantID, now: now) {
                commands.append(forget)
            }
            guard reply.int != 1, let fresh = try await self.user(user.insiderID, tenantID: activity.tenantID) else {
                continue
            }
            for index in user.entries {
                let cell = fresh.startCell(draft.entries[index].key.udid, activity.type)
                commands.append(putStartCell(activity, slot: writer.firstSlot + UInt32(index), cell))
            }
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }
}
