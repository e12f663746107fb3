import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Users who leave a segment, with their memberships as they were read.
struct LeavingUsers {
    var members: [(insiderID: String, membership: [UInt8])] = []
    var slots: [UInt32] = []
    var users = 0
}

extension StoredActivities {
    /// The numbers of users and devices removed from a segment.
    public struct Removal: Equatable, Sendable {
        /// The number of removed users, including users without remaining devices.
        public internal(set) var users = 0
        /// The number of their devices in the segment.
        public internal(set) var devices = 0
    }

    /// Removes users from a registered activity. Skips users who are not in it.
    ///
    /// A script compares the lock, reduces the counts and records some of the users as leaving. Then their slots are
    /// emptied and their memberships deleted. The activity does not start while users are leaving. If the gateway dies
    /// or is suspended, another one completes the removal.
    public func removeUsers(
        _ insiderIDs: [String], from id: UniqueID
    ) async throws(StoreError) -> SegmentChange<Removal> {
        try await changingSegment(id) {
            (record: ActivityRecord, lock: StoreLock) async throws(StoreError) -> Removal? in
            var removal = Removal()
            for start in stride(from: 0, to: insiderIDs.count, by: StoredActivities.chunk) {
                let ids = Array(insiderIDs[start..<min(start + StoredActivities.chunk, insiderIDs.count)])
                let leaving = try await self.leaving(ids, record)
                guard !leaving.members.isEmpty else { continue }
                guard try await self.countOut(leaving, of: record.activity, lock) else { return nil }
                try await self.delete(leaving, from: record.activity)
                removal.users += leaving.users
                removal.devices += leaving.slots.count
            }
            if removal != Removal() { _ = try await self.confirm(LeavingUsers(), of: record.activity, lock) }
            return removal
        }
    }

    /// The users among these who are members.
    func leaving(_ insiderIDs: [String], _ record: ActivityRecord) async throws(StoreError) -> LeavingUsers {
        let (tenantID, field) = (record.activity.tenantID, UserRecord.membershipField(record.activity.id))
        let replies = try await values(insiderIDs.map { RedisCommand("HGET", Keys.user(tenantID, $0), field) })
        var leaving = LeavingUsers()
        for (insiderID, reply) in zip(insiderIDs, replies) {
            guard let bytes = reply.bytes, let membership = Membership(bytes) else { continue }
            leaving.members.append((insiderID, bytes))
            leaving.slots += membership.slots.map(\.slot).filter { record.slots.contains($0) }
            // Unconfirmed slots are left over from an interrupted attempt.
            if record.isMember(membership) { leaving.users += 1 }
        }
        return leaving
    }

    /// Reduces the counts of the segment, and records the users as leaving.
    /// - Returns: False if the lock is lost or the activity has started. Nothing has changed then.
    func countOut(_ leaving: LeavingUsers, of activity: Activity, _ lock: StoreLock) async throws(StoreError) -> Bool {
        guard lock.isHeld else { return false }
        return try await confirm(leaving, of: activity, lock)
    }

    /// Deletes the memberships of leaving users and empties their slots, so that no start reaches them. A user who was
    /// added again has another membership, which stays.
    func delete(_ leaving: LeavingUsers, from activity: Activity) async throws(StoreError) {
        let field = UserRecord.membershipField(activity.id)
        let deletions = leaving.members.map { insiderID, membership in
            Scripts.leaveUser(user: Keys.user(activity.tenantID, insiderID), field: field, expected: membership).command
        }
        // A device that has changed in the meantime has filled its slot again.
        _ = try await values(deletions + emptied(leaving, activity))
    }

    /// Completes the removal of leaving users, unless another change is in progress.
    func finishRemoval(from id: UniqueID) async throws(StoreError) {
        _ = try await changingSegment(id) { (_: ActivityRecord, _: StoreLock) async throws(StoreError) -> Void? in () }
    }

    /// Completes the removal of users that a lost gateway has recorded as leaving.
    func finishRemoval(from activity: Activity, _ lock: StoreLock) async throws(StoreError) {
        let noted = try await value(RedisCommand("HGETALL", Keys.leaving(activity.id))).fields.map {
            (insiderID: String(decoding: $0.0, as: UTF8.self), membership: $0.1)
        }
        guard !noted.isEmpty else { return }
        let field = UserRecord.membershipField(activity.id)
        let present = try await values(
            noted.map { RedisCommand("HGET", Keys.user(activity.tenantID, $0.insiderID), field) })
        var left = LeavingUsers()
        for ((insiderID, membership), reply) in zip(noted, present) {
            let slots = Membership(membership)?.slots.map(\.slot) ?? []
            left.slots += slots
            // Devices that were erased in the meantime are missing from the present membership.
            let rest = reply.bytes.flatMap { Membership($0) }?.slots.map(\.slot) ?? []
            let isRest = !rest.isEmpty && Set(rest).isSubset(of: slots)
            left.members.append((insiderID, isRest ? reply.bytes ?? membership : membership))
        }
        try await delete(left, from: activity)
        _ = try await confirm(LeavingUsers(), of: activity, lock)
    }

    private func confirm(
        _ leaving: LeavingUsers, of activity: Activity, _ lock: StoreLock
    ) async throws(StoreError) -> Bool {
        let id = activity.id
        let members = leaving.members.flatMap { insiderID, membership -> [any RedisArgumentConvertible] in
            [insiderID, membership]
        }
        return try await run(
            Scripts.confirmRemoval(
                activity: Keys.activity(id), rosterLock: Keys.rosterLock(id), leaving: Keys.leaving(id),
                devices: -leaving.slots.count, users: -leaving.users, token: lock.token,
                keptUntil: activity.keptUntil.milliseconds, members: members))
    }

    private func emptied(_ leaving: LeavingUsers, _ activity: Activity) -> [RedisCommand] {
        leaving.slots.map {
            roster.putStartCell(
                activity, slot: $0, TokenPage.cell(reason: .notInSegment), status: DeliveryStatus.removed)
        }
    }
}

extension ActivityRecord {
    /// True if the segment counts the user of the membership. Unconfirmed slots of an interrupted attempt do not count.
    func isMember(_ membership: Membership) -> Bool {
        membership.slots.isEmpty || membership.slots.contains { slots.contains($0.slot) }
    }
}
