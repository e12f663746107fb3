public import LiveActivity
import Reactor
import RedisClient

/// A broadcast that has not ended, as the set of these names it.
public struct UnfinishedBroadcast: Hashable, Sendable {
    /// The activity that it is about.
    public let activityID: UniqueID
    /// The broadcast's id, by which no record may be found any more.
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

// A Redis that drops keys, or has lost some, may lose a broadcast's record while the broadcast counts as unfinished.
// These are a set of ids, not a number, so that whoever is gone can be found; and each leaves the set once, whoever
// finds it.
extension StoredJobs {
    /// How many are looked at in one step.
    private static let vanishedAtOnce = 500

    /// Forgets those unfinished broadcasts whose record or activity is no longer there, and tells which they were.
    public func forgetVanished(
        shards: Range<Int> = 0..<StoredJobs.jobShards
    ) async throws(StoreError) -> [UnfinishedBroadcast] {
        let replies = try await values(
            shards.map {
                RedisCommand(
                    script: Scripts.forgetVanished,
                    keys: [Keys.unfinished($0), Keys.unfinishedOwners($0), Keys.unfinishedCounts($0)],
                    arguments: [Keys.activityPrefix($0), StoredJobs.vanishedAtOnce])
            })
        let found = replies.flatMap { reply in
            (reply.array ?? []).compactMap { $0.string.flatMap { UnfinishedBroadcast($0) } }
        }
        vanished.withLock { $0 += found.count }
        return found
    }

    /// How many broadcasts this gateway has found vanished.
    public var vanishedBroadcasts: Int { vanished.withLock { $0 } }
}
