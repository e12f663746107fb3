import Delivery
import Encodings
public import LiveActivity
import RedisClient
import Secrets
import TimeCore

// Activities that devices open under an external id.
extension StoredActivities {
    /// The life of a device-initiated activity.
    public static let deviceInitiatedLife = Lifecycle.longestLife
    /// The time for which the retry of an interrupted or refused report uses the same proposed id.
    private static let proposalPatience = TimeInterval.seconds(60)

    /// The id of the activity that apps opened under this name; nil if there is none.
    public func deviceInitiatedActivity(_ name: ExternalName, tenantID: String) async throws(StoreError) -> UniqueID? {
        try await value(RedisCommand("HGET", externalKey(name, tenantID), "activity")).string.flatMap { UniqueID($0) }
    }

    private func externalKey(_ name: ExternalName, _ tenantID: String) -> String {
        Keys.externalActivity(tenantID, Hexadecimal.encode(Digest.sha256(name.bytes)))
    }

    /// Deletes the name of an ended activity, unless it has passed to another one.
    func forget(_ name: ExternalName, of activity: Activity) async throws(StoreError) {
        let key = externalKey(name, activity.tenantID)
        guard try await value(RedisCommand("HGET", key, "activity")).string == activity.id.description else { return }
        _ = try await value(RedisCommand("DEL", key))
    }

    /// - Parameter opener: The user whose device opens the activity if it does not exist.
    func findOrMake(
        _ name: ExternalName, tenantID: String, opener: String, _ limits: TenantLimits
    ) async throws(StoreError) -> ActivityRecord {
        let now = wallClock()
        let endsAt = now + StoredActivities.deviceInitiatedLife
        func claim(_ id: UniqueID, isProposal: Bool) async throws(StoreError) -> Scripts.ClaimExternalActivityReply {
            try await run(
                Scripts.claimExternalActivity(
                    external: externalKey(name, tenantID), id: id.description, claims: isProposal ? "" : "1",
                    now: now.milliseconds, endsAt: endsAt.milliseconds,
                    expiresAt: Activity.keptUntil(endsAt).milliseconds,
                    patience: StoredActivities.proposalPatience.nanoseconds / 1_000_000))
        }
        var reply = try await claim(try await ActivityNames(context: context).draw(), isProposal: true)
        var proposal: UniqueID?
        if case .proposed(let text) = reply, let proposed = UniqueID(text) {
            proposal = proposed
            // Counted before the first lasting write.
            try await opened.enter(opener, proposed, tenantID: tenantID, limits)
            do throws(StoreError) {
                try await opened.open(proposed, endsAt: endsAt, tenantID: tenantID, limits)
            } catch {
                try? await opened.leave(opener, proposed, tenantID: tenantID)
                throw error
            }
            reply = try await claim(proposed, isProposal: false)
        }
        guard case .claimed(let claimed, let createdAt, let end) = reply, let id = UniqueID(claimed) else {
            throw .damaged("an external id")
        }
        if let proposal, proposal != id {
            try await opened.leave(opener, proposal, tenantID: tenantID)
            try await opened.close(proposal, tenantID: tenantID)
        }
        if let record = try await activity(id) { return record }
        return try await make(Activity(id, named: name, tenantID: tenantID, createdAt: createdAt, endsAt: end))
    }

    private func make(_ activity: Activity) async throws(StoreError) -> ActivityRecord {
        try await addToIndex(activity)
        // A concurrent report may have made it already.
        _ = try await value(makeActivity(activity, activity.fieldsOfNew))
        noteDue(Keys.shard(activity.id), at: nextDue(activity))
        guard let record = try await self.activity(activity.id) else {
            throw .damaged("an activity that was just made")
        }
        return record
    }
}

extension Activity {
    /// An activity that an app opens. The times are in epoch ms.
    fileprivate init(_ id: UniqueID, named name: ExternalName, tenantID: String, createdAt: Int, endsAt: Int) {
        let made = WallTime(milliseconds: Int64(createdAt))
        self.init(
            id: id, tenantID: tenantID, type: name.type, state: .started, createdAt: made, startedAt: made,
            endsAt: WallTime(milliseconds: Int64(endsAt)), externalID: name.id, externalOwner: name.owner)
    }

    /// The fields of its hash before it has a device.
    fileprivate var fieldsOfNew: [any RedisArgumentConvertible] {
        let made = "\(createdAt.milliseconds)"
        var fields: [any RedisArgumentConvertible] = [
            "tenant", tenantID, "type", type, "state", "\(state.rawValue)", "created_at", made, "started_at", made,
            "ends_at", "\(endsAt.milliseconds)", "external_id", externalID ?? "", "devices", "0", "users", "0",
            BandSizes.field(.apns), "0",
        ]
        if let externalOwner { fields += ["external_owner", externalOwner] as [any RedisArgumentConvertible] }
        return fields
    }
}
