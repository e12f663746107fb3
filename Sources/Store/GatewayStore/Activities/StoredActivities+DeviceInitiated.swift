import Delivery
import Encodings
public import LiveActivity
import RedisClient
import Secrets
import TimeCore

// Activities that devices open by themselves, under an external id.
extension StoredActivities {
    /// How long such an activity lives.
    public static let deviceInitiatedLife = Lifecycle.longestLife

    /// The longest external id that is taken, in UTF-8 bytes.
    public static let longestExternalID = 250

    /// The id of the activity that goes by an external id; nil when none does, or has for too long not.
    public func deviceInitiatedActivity(_ externalID: String, type: String, tenantID: String) async throws(StoreError)
        -> UniqueID?
    {
        let key = externalKey(externalID, type, tenantID)
        return try await value(RedisCommand("HGET", key, "activity")).string.flatMap { UniqueID($0) }
    }

    private func externalKey(_ externalID: String, _ type: String, _ tenantID: String) -> String {
        let name = Array(type.utf8) + [0] + Array(externalID.utf8)
        return Keys.externalActivity(tenantID, Hexadecimal.encode(Digest.sha256(name)))
    }

    func findOrMake(
        _ externalID: String, type: String, tenantID: String
    ) async throws(StoreError) -> ActivityRecord {
        let now = wallClock()
        let endsAt = now + StoredActivities.deviceInitiatedLife
        let reply = try await run(
            Scripts.claimExternalActivity, [externalKey(externalID, type, tenantID)],
            [
                UniqueID.random().description, now.milliseconds, endsAt.milliseconds,
                Activity.keptUntil(endsAt).milliseconds,
            ])
        guard let parts = reply.array, parts.count == 3, let id = parts[0].string.flatMap({ UniqueID($0) }),
            let createdAt = parts[1].int, let end = parts[2].int
        else { throw .damaged("an external id") }
        if let record = try await activity(id) { return record }
        let made = WallTime(milliseconds: createdAt)
        let activity = Activity(
            id: id, tenantID: tenantID, type: type, state: .started, createdAt: made, startedAt: made,
            endsAt: WallTime(milliseconds: end), externalID: externalID)
        try await addToIndex(activity)
        let fields: [any RedisArgumentConvertible] = [
            "tenant", tenantID, "type", type, "state", "\(activity.state.rawValue)", "created_at", "\(createdAt)",
            "started_at", "\(createdAt)", "ends_at", "\(end)", "external_id", externalID, "devices", "0", "users", "0",
            BandSizes.field(.apns), "0",
        ]
        // Whoever else reports at this moment may have made it.
        _ = try await value(makeActivity(activity, fields))
        guard let record = try await self.activity(id) else { throw .damaged("an activity that was just made") }
        return record
    }
}
