import Delivery
import LiveActivity

/// The names of all keys. The part in braces is the hash tag: keys with the same one live on the same node of a
/// cluster and may be used in one script.
///
/// - A user with devices, tokens and memberships: one hash, tagged by tenant and user.
/// - Who reported a token last: tagged by tenant and bucket.
/// - An API key with its rate window: tagged by the key's hash.
/// - An activity with its lock and broadcasts: tagged by one of 64 shards, so that what waits to be done for the
///   activities of a shard can be recorded in the same step as their state.
/// - A provider token, tagged by team and key.
/// - A partition of an activity's roster: tagged by activity and partition, so that a big one spreads over the nodes.
/// - A tenant's stored segments, but for the ids in them: tagged by tenant, so that their index is always right. The ids:
///   tagged by the change that wrote them and by partition.
enum Keys {
    static let shards: UInt64 = 64

    static func tenant(_ id: String) -> String { "fanfare:{t:\(id)}" }

    /// The ids of all tenants.
    static let tenants = "fanfare:tenants"

    /// Written before Redis is asked whether its append-only file has what came until then.
    static let commitMark = "fanfare:{commit}"

    static func credential(_ hash: String) -> String { "fanfare:{k:\(hash)}" }

    static func rateWindow(_ hash: String) -> String { "fanfare:{k:\(hash)}:rate" }

    static func user(_ tenantID: String, _ insiderID: String) -> String {
        String(decoding: encodedUser(tenantID, insiderID), as: UTF8.self)
    }

    /// The same as bytes, which cost less to put together.
    static func encodedUser(_ tenantID: String, _ insiderID: String) -> [UInt8] {
        let prefix = "fanfare:{u:"
        var key: [UInt8] = []
        key.reserveCapacity(prefix.utf8.count + tenantID.utf8.count + insiderID.utf8.count + 2)
        key += prefix.utf8
        key += tenantID.utf8
        key.append(UInt8(ascii: ":"))
        key += insiderID.utf8
        key.append(UInt8(ascii: "}"))
        return key
    }

    /// Who owns push-to-start tokens: one of the buckets of a level.
    static func tokenOwners(_ tenantID: String, level: Int, bucket: UInt64) -> String {
        "fanfare:{o:\(tenantID):\(level).\(bucket)}"
    }

    static func activity(_ id: UniqueID) -> String { "fanfare:{\(id.low % shards)}:a:\(id)" }

    static func startLock(_ id: UniqueID) -> String { "\(activity(id)):start" }

    /// Held while the segment is being changed; a start waits for it.
    static func rosterLock(_ id: UniqueID) -> String { "\(activity(id)):roster" }

    /// Held by whoever prepares a restart, until it is recorded.
    static func restartLock(_ id: UniqueID) -> String { "\(activity(id)):restart" }

    /// The restarts of a while, each with its devices, see `RestartMark`.
    static func restarts(_ id: UniqueID) -> String { "\(activity(id)):restarts" }

    /// What is kept for the healing of an activity, see `healing.lua`.
    static func healing(_ id: UniqueID) -> String { "\(activity(id)):heal" }

    static func broadcast(_ activity: UniqueID, _ id: UniqueID) -> String { broadcastPrefix(activity) + id.description }

    /// What the keys of an activity's broadcasts begin with.
    static func broadcastPrefix(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):b:" }

    /// The broadcasts of the activity that have not ended: order number -> id, kind and scope.
    static func openBroadcasts(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):open" }

    /// The ids of the activity's newest broadcasts, the newest first.
    static func recentBroadcasts(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):recent" }

    static func shard(_ activity: UniqueID) -> Int { Int(activity.low % shards) }

    /// The stream of the jobs of a shard's activities in one lane.
    static func jobs(_ shard: Int, _ lane: JobLane) -> String { "fanfare:{\(shard)}:j:\(lane)" }

    /// The broadcasts of a shard's activities that have not ended, by when their records expire.
    static func unfinished(_ shard: Int) -> String { "fanfare:{\(shard)}:unfinished" }

    /// How many of them earlier versions have recorded.
    static func formerUnfinished(_ shard: Int) -> String { "fanfare:{\(shard)}:open" }

    /// What the keys of a shard's activities begin with.
    static func activityPrefix(_ shard: Int) -> String { "fanfare:{\(shard)}:a:" }

    /// What of a shard's activities is to happen when: items by epoch ms.
    static func due(_ shard: Int) -> String { "fanfare:{\(shard)}:due" }

    static func schedule(_ activity: UniqueID, _ id: UniqueID) -> String { "\(Keys.activity(activity)):s:\(id)" }

    /// The schedules of the activity that wait, by when they are due.
    static func pendingSchedules(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):s" }

    /// Those that have ended, by when.
    static func endedSchedules(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):p" }

    /// How far a broadcast is in one partition, who works on it, and the counts there.
    static func progress(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(Keys.partition(activity, partition)):b:\(broadcast)"
    }

    /// What the keys of the lists begin with in which holds of a start's job note who is about to be sent it.
    static func notedRunsPrefix(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(progress(activity, partition, broadcast)):m:"
    }

    static func notedRuns(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID, owner: String) -> String {
        notedRunsPrefix(activity, partition, broadcast) + owner
    }

    /// Of whom of a partition nobody knows whether a start has reached him: slot by broadcast and hold.
    static func doubts(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):q"
    }

    /// The activities of a tenant that were made in one hour (of the epoch).
    static func activityIndex(_ tenantID: String, hour: Int64) -> String { "fanfare:{l:\(tenantID):\(hour)}" }

    /// Leads from what devices call an activity that they opened by themselves to its id.
    static func externalActivity(_ tenantID: String, _ hash: String) -> String { "fanfare:{x:\(tenantID):\(hash)}" }

    /// Leads from a broadcast to its activity.
    static func broadcastPointer(_ id: UniqueID) -> String { "fanfare:{b:\(id)}" }

    static func idempotency(_ tenantID: String, _ hash: String) -> String { "fanfare:{i:\(tenantID):\(hash)}" }

    /// The provider token that all gateways with this account use.
    static func providerToken(_ account: ProviderAccount) -> String { "fanfare:{p:\(account.name)}" }

    /// Which gateways can push with a provider's credential, as each tells.
    static func pushHealth(_ provider: ProviderIdentity) -> String {
        "\(providerToken(provider.account)):g:\(provider.authority)"
    }

    static func partition(_ activity: UniqueID, _ partition: Int) -> String { "fanfare:{\(activity).\(partition)}" }

    /// Push-to-start tokens, a cell for each slot of the page.
    static func startPage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "s") }

    /// Update tokens, a cell for each slot of the page.
    static func updatePage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "u") }

    /// Which slots of the page held a token when it was last read for an update, see `catch-up.lua`.
    static func readPage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "n") }

    /// What became of each slot of the page, a byte each.
    static func fatePage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "f") }

    /// What the last push to each slot of the page came to.
    static func outcomePage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "o") }

    /// Who the slots of the page are: runs of identities by their first slot in the page.
    static func identityPage(_ activity: UniqueID, _ page: Int) -> String { key(activity, page, "i") }

    /// How many cells of the partition hold a token.
    static func counters(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):c"
    }

    /// Slots whose card must be ended as soon as they report an update token: slot -> broadcast.
    static func pendingEnds(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):e"
    }

    /// What the keys of a partition's fate pages begin with, and of its outcome pages; the page's number follows.
    static func fatePrefix(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):f:"
    }

    static func outcomePrefix(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):o:"
    }

    /// How many starts slots of the partition were sent, where it is not one: slot -> number.
    static func startCounts(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):r"
    }

    private static func key(_ activity: UniqueID, _ page: Int, _ kind: String) -> String {
        "\(partition(activity, RosterGeometry.partition(ofPage: page))):\(kind):\(page)"
    }
}
