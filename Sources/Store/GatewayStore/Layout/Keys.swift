import LiveActivity

/// The names of all keys. The part in braces is the hash tag. Keys with the same tag are on the same node of a cluster,
/// so one script may use them.
///
/// - A user with devices, tokens and memberships: one hash, tagged by tenant and user.
/// - The last reporter of each token: tagged by tenant and bucket.
/// - An API key with its rate window: tagged by the key's hash.
/// - An activity with its lock and broadcasts: tagged by one of 64 shards. The pending work of a shard's activities can
///   then be recorded in the same step as their state.
/// - A provider token with the lease for its renewal: tagged by the account.
/// - A quota of messages: tagged by project.
/// - Requests of a minute: each name that makes many is tagged by itself.
/// - Broadcast channels: tagged by app and environment.
/// - A partition of an activity's roster: tagged by activity and partition, so a large roster spreads over the nodes.
/// - A tenant's stored segments without their ids: tagged by tenant, so their index is always right. The ids are tagged
///   by the change that wrote them and by partition.
enum Keys {
    static let shards: UInt64 = 64

    static func shard(_ activity: UniqueID) -> Int { Int(activity.low % shards) }

    /// The names of all shards' keys of a kind, by shard. They are built once because every call needs some of them.
    static func ofShards(_ name: (Int) -> String) -> [String] { (0..<Int(shards)).map(name) }

    static func partition(_ activity: UniqueID, _ partition: Int) -> String { "fanfare:{\(activity).\(partition)}" }
}
