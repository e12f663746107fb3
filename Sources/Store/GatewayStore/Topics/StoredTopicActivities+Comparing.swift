import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Compares the owner's list with the roster of the running activity.
extension StoredTopicActivities {
    /// Records that the list has been compared, unless it has changed again. With nil, ignores further changes.
    public func forgetListChange(_ lease: TopicLease, _ count: Int?) async throws(StoreError) {
        if let count {
            _ = try await run(
                Scripts.deleteField(hash: Keys.topic(lease.topic), field: "relist", value: "\(count)"))
        } else {
            try await note("relist", "", lease)
        }
    }

    /// Queues followers without a slot in the running activity, and users with a slot who no longer follow. The cost
    /// grows with the number of followers.
    /// - Parameter checkpoint: Called from time to time. An error that it throws stops the work.
    public func compareList(
        of topic: TopicRecord, in record: ActivityRecord, checkpoint: () async throws -> Void
    ) async throws {
        let activity = record.activity
        let field = UserRecord.membershipField(activity.id)
        try await self.followers.forEachFollower(of: topic) { ids in
            try await checkpoint()
            let places = try await self.values(
                ids.map { RedisCommand("HEXISTS", Keys.user(activity.tenantID, $0), field) })
            let missing = zip(ids, places).filter { $0.1.int == 0 }.map(\.0)
            try await self.queueNow(missing, topic.id)
        }
        for page in record.slots.pages {
            try await checkpoint()
            // A user who was removed from the list and added again has a slot, but may lack the Live Activity.
            _ = try await look(at: page, topic.id, in: record)
            let runs = try await identityRuns([page], of: activity.id)[0]
            var last: [UInt8] = []
            var users: [String] = []
            for (_, run) in runs {
                for entry in IdentityRun.decode(run)
                where Array(entry.insiderID.utf8) != last && entry.insiderID != IdentityRun.nobody {
                    last = Array(entry.insiderID.utf8)
                    users.append(entry.insiderID)
                }
            }
            let follows = try await self.followers.follow(users, topic.id)
            try await queueNow(zip(users, follows).filter { !$0.1 }.map(\.0), topic.id)
        }
        // Pending ends wait for tokens. They are revoked for users who follow again.
        for partition in record.partitions {
            let waiting = try await value(RedisCommand("HKEYS", Keys.pendingEnds(activity.id, partition))).array ?? []
            let slots = waiting.compactMap { $0.string.flatMap { UInt32($0) } }.sorted()
            for page in SlotList.byPage(slots) {
                let identities = try await identities(page.page, of: activity.id)
                try await queueNow(page.indexes.compactMap { identities.identity($0)?.insiderID }, topic.id)
            }
        }
    }

    private func queueNow(_ users: [String], _ topic: TopicID) async throws(StoreError) {
        guard !users.isEmpty else { return }
        _ = try await value(queues.queue(users, topic, at: wallClock()))
    }
}
