public import LiveActivity
public import TimeCore

/// The record of a broadcast channel that an activity has.
public struct TakenChannel: Equatable, Sendable {
    /// The provider's id.
    public let channel: String
    /// The activity of the channel.
    public let activity: UniqueID
    /// The time at which it was last taken.
    public let takenAt: WallTime
    /// Activity, environment and policy.
    let taker: String

    init?(_ channel: String, _ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let time = Int64(parts[1]),
            let activity = parts[0].split(separator: ":").first.flatMap({ UniqueID(String($0)) })
        else { return nil }
        self.channel = channel
        self.activity = activity
        takenAt = WallTime(milliseconds: time)
        taker = String(parts[0])
    }

    static func taker(_ activity: UniqueID, _ environment: Device.Environment, storesNewest: Bool) -> String {
        "\(activity):\(environment.rawValue):\(storesNewest ? 1 : 0)"
    }
}

/// The state of the activity that has taken a channel.
public enum ChannelTaker: Equatable, Sendable {
    /// The activity no longer exists.
    case gone
    /// The activity has not ended, or its end is still being sent over the channel.
    case alive(namesChannel: Bool)
    /// The activity ended at this time.
    case ended(WallTime, namesChannel: Bool)
}

/// The numbers of an app's channels in an environment.
public struct ChannelCounts: Equatable, Sendable {
    /// Channels ready for any activity.
    public var pool = 0
    /// Channels of activities.
    public var used = 0
    /// Channels to be deleted.
    public var doomed = 0
    /// Channels that only the provider knows.
    public var strangers = 0
    /// Creations with an unknown result.
    public var lost = 0
    /// Channels in the provider's last list; nil before the first one.
    public var listed: Int?

    public init() {}
}
