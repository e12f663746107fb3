import Delivery
public import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

extension StoredTopicActivities {
    /// Makes the activity of a topic that goes live, for all of its followers or for some of them. Sends nothing yet,
    /// and only the driver of the topic knows the activity.
    /// - Parameters:
    ///   - id: The id of the activity, see `newActivityID`.
    ///   - followers: The followers to add, if all others were checked before; nil for all.
    ///   - checkpoint: Called from time to time. An error that it throws stops the work, and no activity is made.
    /// - Returns: nil if none of their devices is eligible.
    /// - Returns: nil when no device of them is eligible.
    public func makeActivity(
        _ id: UniqueID, of topic: TopicRecord, followers: [String]?, endsAt: WallTime, served: Set<RouteKind>?,
        checkpoint: () async throws -> Void
    ) async throws -> ActivityRecord? {
        let tenantID = topic.id.tenantID
        var registration = StoredActivities.Registration(type: topic.type, endsAt: endsAt)
        registration.catchesUp = true
        registration.served = served
        registration.channelUse = topic.channelUse
        registration.activityIDAttribute = topic.activityIDAttribute
        registration.topic = topic.id
        registration.label = topic.label
        let made = try await activities.register(registration, as: id, tenantID: tenantID) { add in
            guard let followers else {
                return try await self.followers.forEachFollower(of: topic) { ids in
                    try await checkpoint()
                    try await self.noteWaiting(add(ids), topic.id, type: topic.type, served)
                }
            }
            let follows = try await self.followers.follow(followers, topic.id)
            let ids = zip(followers, follows).filter(\.1).map(\.0)
            guard !ids.isEmpty else { return }
            try await noteWaiting(add(ids), topic.id, type: topic.type, served)
        }
        guard case .registered(let report) = made, report.activityID != nil else { return nil }
        return try await activities.activity(id)
    }

    /// Longer than any activity runs.
    private static let waitingLife = TimeInterval.seconds(8 * 86_400)

    /// Records followers who cannot be started now, so that a report of their devices queues them. A follower whose
    /// device reports just before the record is queued at once.
    func noteWaiting(
        _ insiderIDs: [String], _ topic: TopicID, type: String, _ served: Set<RouteKind>?
    ) async throws(StoreError) {
        guard !insiderIDs.isEmpty else { return }
        _ = try await values(
            insiderIDs.flatMap { insiderID in
                let key = Keys.waiting(topic.tenantID, insiderID)
                let lifetime = StoredTopicActivities.waitingLife.millisecondsRoundedUp
                return [RedisCommand("SADD", key, topic.name), RedisCommand("PEXPIRE", key, Int(lifetime))]
            })
        let records = try await devices.users(insiderIDs, tenantID: topic.tenantID)
        let ready = zip(insiderIDs, records).filter { insiderID, record in
            var probe = RosterDraft(served: served, waits: false)
            probe.add(insiderID, record, type: type)
            return !probe.entries.isEmpty
        }
        guard !ready.isEmpty else { return }
        _ = try await value(queues.queue(ready.map(\.0), topic, at: wallClock()))
    }

    /// Records that all followers of the present life have been checked.
    public func noteWalk(_ topic: TopicRecord, _ lease: TopicLease) async throws(StoreError) {
        try await note("walked", "\(topic.life)", lease)
    }

    /// Records that no reserved slot lacks a start.
    public func clearPlacing(_ lease: TopicLease) async throws(StoreError) {
        try await note("placing", "", lease)
    }

    /// Records the content version whose starts were refused because of the content. Nil records that the roster was
    /// compared since.
    public func noteRefusedContent(_ version: Int?, _ lease: TopicLease) async throws(StoreError) {
        try await note("oversize", version.map(String.init) ?? "", lease)
    }

    /// Writes a field of the driver's progress, unless another gateway drives the topic.
    func note(_ field: String, _ value: String, _ lease: TopicLease) async throws(StoreError) {
        _ = try await run(
            Scripts.noteDrive(topic: Keys.topic(lease.topic), driver: lease.token, field: field, value: value))
    }

    /// Splits slots into those with an update token and those without.
    public func sorted(
        _ slots: [UInt32], in activity: Activity
    ) async throws(StoreError) -> (synced: [UInt32], silent: [UInt32]) {
        let synced = try await roster.slotsWithToken(slots, .update, in: activity)
        let known = Set(synced)
        return (synced, slots.filter { !known.contains($0) }.sorted())
    }
}
