import LiveActivity

extension Keys {
    static func activity(_ id: UniqueID) -> String { "fanfare:{\(id.low % shards)}:a:\(id)" }

    /// Held while the segment is being changed; a start waits for it.
    static func rosterLock(_ id: UniqueID) -> String { "\(activity(id)):roster" }

    /// What users' apps have scheduled and last drove the activity's Live Activities with, by user.
    static func driven(_ id: UniqueID) -> String { "\(activity(id)):driven" }

    /// That a tap has been counted.
    static func tap(_ id: UniqueID, _ name: String) -> String { "\(activity(id)):tap:\(name)" }

    /// What the keys of a shard's activities begin with.
    static func activityPrefix(_ shard: Int) -> String { "fanfare:{\(shard)}:a:" }

    /// The activities of a tenant that were made in one hour (of the epoch).
    static func activityIndex(_ tenantID: String, hour: Int64) -> String { "fanfare:{l:\(tenantID):\(hour)}" }

    /// Leads from what devices call an activity that they opened by themselves to its id.
    static func externalActivity(_ tenantID: String, _ hash: String) -> String { "fanfare:{x:\(tenantID):\(hash)}" }
}
