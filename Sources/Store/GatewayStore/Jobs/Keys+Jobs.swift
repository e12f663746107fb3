import LiveActivity

extension Keys {
    /// The stream of the jobs of a shard's activities in one lane.
    static func jobs(_ shard: Int, _ lane: JobLane) -> String { "fanfare:{\(shard)}:j:\(lane)" }

    /// The broadcasts of a shard's activities that have not ended, by when their records expire.
    static func unfinished(_ shard: Int) -> String { unfinished[shard] }

    /// The tenants of unfinished broadcasts, and the number of each tenant.
    static func unfinishedOwners(_ shard: Int) -> String { unfinishedOwners[shard] }
    static func unfinishedCounts(_ shard: Int) -> String { unfinishedCounts[shard] }

    /// The jobs of a shard that the gateways which recorded their broadcasts hold: see `held-jobs.lua`.
    static func heldJobs(_ shard: Int) -> String { heldJobs[shard] }

    private static let heldJobs = ofShards { "fanfare:{\($0)}:held" }
    private static let unfinished = ofShards { "fanfare:{\($0)}:unfinished" }
    private static let unfinishedOwners = ofShards { "\(unfinished[$0]):owners" }
    private static let unfinishedCounts = ofShards { "\(unfinished[$0]):counts" }

    /// The prefix of the lists in which holds of a start's job note the devices that are about to be sent it.
    static func notedRunsPrefix(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(progress(activity, partition, broadcast)):m:"
    }

    static func notedRuns(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID, owner: String) -> String {
        notedRunsPrefix(activity, partition, broadcast) + owner
    }

    /// The devices of a partition that a start may have reached or not: slot -> broadcast and hold.
    static func doubts(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):q"
    }
}
