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
    /// How many were taken out of a segment.
    public struct Removal: Equatable, Sendable {
        /// Users who were in the segment, whatever became of their devices.
        public internal(set) var users = 0
        /// Their devices that were in it.
        public internal(set) var devices = 0
    }

    /// Takes users out of a registered activity; those that are not in it are passed over.
    ///
    /// Some at a time: a script that compares the lock counts them out and notes them, then their slots are emptied and
    /// their memberships deleted. While any are noted the activity is not started; what a gateway leaves that was
    /// killed or slept in between, others finish first.
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

    /// Who of these users is a member.
    func leaving(_ insiderIDs: [String], _ record: ActivityRecord) async throws(StoreError) -> LeavingUsers {
        let (tenantID, field) = (record.activity.tenantID, UserRecord.membershipField(record.activity.id))
        let replies = try await values(insiderIDs.map { RedisCommand("HGET", Keys.user(tenantID, $0), field) })
        var leaving = LeavingUsers()
        for (insiderID, reply) in zip(insiderIDs, replies) {
            guard let bytes = reply.bytes, let membership = Membership(bytes) else { continue }
            leaving.members.append((insiderID, bytes))
            leaving.slots += membership.slots.map(\.slot).filter { record.slots.contains($0) }
            // Slots that were never confirmed are left over from an attempt that broke off.
            if record.isMember(membership) { leaving.users += 1 }
        }
        return leaving
    }

    /// Counts users out, and notes that they are to be taken out.
    /// - Returns: false when the lock is lost, or the activity is started: then nothing has changed.
    func countOut(_ leaving: LeavingUsers, of activity: Activity, _ lock: StoreLock) async throws(StoreError) -> Bool {
        guard lock.isHeld else { return false }
        return try await confirm(leaving, of: activity, lock)
    }

    /// Takes out users who are counted out: deletes their memberships, and empties their slots, so that no start comes
    /// to them. A user who has been added anew has another membership, and keeps it.
    func delete(_ leaving: LeavingUsers, from activity: Activity) async throws(StoreError) {
        let field = UserRecord.membershipField(activity.id)
        let deletions = leaving.members.map { insiderID, membership in
            RedisCommand(
                script: Scripts.leaveUser, keys: [Keys.user(activity.tenantID, insiderID)],
                arguments: [field, membership])
        }
        // A device that has changed in between has filled its slot once more.
        _ = try await values(deletions + emptied(leaving, activity))
    }

    /// Takes out those whom a gateway that was killed has counted out, unless another change is under way.
    func finishRemoval(from id: UniqueID) async throws(StoreError) {
        _ = try await changingSegment(id) { (_: ActivityRecord, _: StoreLock) async throws(StoreError) -> Void? in () }
    }

    /// Takes out those whom a gateway that was killed has counted out.
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
            // Of devices that were erased meanwhile the membership knows nothing any more.
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
        let counts: [any RedisArgumentConvertible] = [
            -leaving.slots.count, -leaving.users, lock.token, activity.keptUntil.milliseconds,
        ]
        let members = leaving.members.flatMap { insiderID, membership -> [any RedisArgumentConvertible] in
            [insiderID, membership]
        }
        let reply = try await run(
            Scripts.confirmRemoval, [Keys.activity(id), Keys.rosterLock(id), Keys.leaving(id)], counts + members)
        return reply.int == 1
    }

    private func emptied(_ leaving: LeavingUsers, _ activity: Activity) -> [RedisCommand] {
        leaving.slots.map {
            roster.putStartCell(
                activity, slot: $0, TokenPage.cell(reason: .notInSegment), status: DeliveryStatus.removed)
        }
    }
}

extension ActivityRecord {
    /// Whether a membership is of a user whom the segment counts: not left over from an attempt that broke off.
    func isMember(_ membership: Membership) -> Bool {
        membership.slots.isEmpty || membership.slots.contains { slots.contains($0.slot) }
    }
}
