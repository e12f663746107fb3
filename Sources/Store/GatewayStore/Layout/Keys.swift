import LiveActivity

/// The names of all keys. The part in braces is the hash tag: keys with the same one live on the same node of a
/// cluster and may be used in one script.
///
/// - A user with devices, tokens and memberships: one hash, tagged by tenant and user.
/// - Who reported a token last: tagged by tenant and bucket.
/// - An API key with its rate window: tagged by the key's hash.
/// - An activity with its lock and broadcasts: tagged by one of 64 shards, so that what waits to be done for the
///   activities of a shard can be recorded in the same step as their state.
/// - A provider token with the lease on getting the next one, tagged by the account whose it is.
/// - A quota of messages, tagged by project.
/// - Requests of a minute: each name that makes many is tagged by itself.
/// - Broadcast channels, tagged by app and environment.
/// - A partition of an activity's roster: tagged by activity and partition, so that a big one spreads over the nodes.
/// - A tenant's stored segments, but for the ids in them: tagged by tenant, so that their index is always right. The
///   ids: tagged by the change that wrote them and by partition.
enum Keys {
    static let shards: UInt64 = 64

    static func shard(_ activity: UniqueID) -> Int { Int(activity.low % shards) }

    /// The names of all shards' keys of a kind, by the shard: there are few of them, and every call has some.
    static func ofShards(_ name: (Int) -> String) -> [String] { (0..<Int(shards)).map(name) }

    static func partition(_ activity: UniqueID, _ partition: Int) -> String { "fanfare:{\(activity).\(partition)}" }
}
