public import LiveActivity
import Reactor
import RedisClient

/// An unfinished broadcast, as a member of the shard's set.
public struct UnfinishedBroadcast: Hashable, Sendable {
    /// The activity of the broadcast.
    public let activityID: UniqueID
    /// The broadcast's id. Its record may no longer exist.
    public let id: UniqueID

    var member: String { "\(activityID):\(id)" }

    init(activityID: UniqueID, id: UniqueID) {
        self.activityID = activityID
        self.id = id
    }

    init?(_ member: String) {
        let parts = member.split(separator: ":")
        guard parts.count == 2, let activityID = UniqueID(parts[0]), let id = UniqueID(parts[1]) else { return nil }
        self.init(activityID: activityID, id: id)
    }
}

// A Redis that drops or has lost keys may lose a broadcast's record while the broadcast counts as unfinished. A set of
// ids, not a number, lets any gateway find these broadcasts, and each is removed once.
extension StoredJobs {
    /// The most members checked in one step.
    private static let vanishedAtOnce = 500

    /// Removes the unfinished broadcasts whose record or activity no longer exists, and returns them.
    public func forgetVanished(
        shards: Range<Int> = 0..<StoredJobs.jobShards
    ) async throws(StoreError) -> [UnfinishedBroadcast] {
        let calls = shards.map {
            Scripts.forgetVanished(
                unfinished: Keys.unfinished($0), owners: Keys.unfinishedOwners($0), counts: Keys.unfinishedCounts($0),
                prefix: Keys.activityPrefix($0), count: StoredJobs.vanishedAtOnce)
        }
        var found: [UnfinishedBroadcast] = []
        for (call, reply) in zip(calls, try await values(calls.map(\.command))) {
            found += try call.reply(reply).compactMap { UnfinishedBroadcast($0) }
        }
        let count = found.count
        vanished.withLock { $0 += count }
        return found
    }

    /// The number of vanished broadcasts that this gateway has found.
    public var vanishedBroadcasts: Int { vanished.withLock { $0 } }
}
