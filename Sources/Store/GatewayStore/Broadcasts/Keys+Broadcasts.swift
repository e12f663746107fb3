import Delivery
import LiveActivity

extension Keys {
    static func startLock(_ id: UniqueID) -> String { Keys.activity(id, ":start") }

    static func broadcast(_ activity: UniqueID, _ id: UniqueID) -> String { Keys.activity(activity, ":b:", id) }

    /// The prefix of the keys of an activity's broadcasts.
    static func broadcastPrefix(_ activity: UniqueID) -> String { Keys.activity(activity, ":b:") }

    /// Ended broadcasts that are not in the activity's hash and whose content is not needed: id in 16 bytes -> see
    /// `EndedBroadcast`.
    static func endedBroadcasts(_ activity: UniqueID) -> String { Keys.activity(activity, ":ended") }

    /// The broadcasts of the activity that have not ended: order number -> id, kind and scope.
    static func openBroadcasts(_ activity: UniqueID) -> String { Keys.activity(activity, ":open") }

    /// An index of the broadcasts that have not ended, by their targets, and its part by slot: see `turns.lua`.
    static func turns(_ activity: UniqueID) -> String { Keys.activity(activity, ":turns") }
    static func turnSlots(_ activity: UniqueID) -> String { Keys.activity(activity, ":turns:slots") }

    /// The newest broadcasts whose ids do not lead to the activity, the newest first. The others are in its hash.
    static func recentBroadcasts(_ activity: UniqueID) -> String { Keys.activity(activity, ":recent") }

    /// The newest broadcasts to single followers of the activity's topic, who joined late or left.
    static func recentFollowerBroadcasts(_ activity: UniqueID) -> String {
        Keys.activity(activity, ":recent_followers")
    }

    /// The slots that pushes with this timestamp went to, for some seconds: see `timestamps.lua`.
    static func timestamp(_ activity: UniqueID, _ second: Int64) -> String { "\(Keys.activity(activity)):t:\(second)" }

    /// The progress, owner and counts of a broadcast in one partition.
    static func progress(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(Keys.partition(activity, partition)):b:\(broadcast)"
    }

    /// The pointer from a broadcast to its activity, if its id does not lead there.
    static func broadcastPointer(_ id: UniqueID) -> String { "fanfare:{b:\(id)}" }

    /// The pointer to an activity from all broadcasts whose ids have the same high half.
    static func activityPointer(_ id: UniqueID) -> String {
        "fanfare:{b:\(String(repeating: "0", count: max(0, 16 - String(id.high, radix: 16).count)))\(String(id.high, radix: 16))}"
    }

    /// The pointer to an activity from a broadcast, and from others with ids of this form. Nil if the id leads there.
    static func pointer(to activity: UniqueID, from broadcast: UniqueID) -> String? {
        if broadcast.activity == activity { return nil }
        return broadcast.high == activity.high ? activityPointer(activity) : broadcastPointer(broadcast)
    }

    /// The push health of gateways with a provider's credential.
    static func pushHealth(_ provider: ProviderIdentity) -> String {
        "\(providerToken(provider.account)):g:\(provider.authority)"
    }
}
