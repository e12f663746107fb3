public import LiveActivity
public import TimeCore

/// A broadcast channel that an activity has, as it is kept.
public struct TakenChannel: Equatable, Sendable {
    /// The provider's id.
    public let channel: String
    /// Whose it is.
    public let activity: UniqueID
    /// When it was taken last.
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

/// How the activity stands that has taken a channel.
public enum ChannelTaker: Equatable, Sendable {
    /// There is none any more.
    case gone
    /// It has not ended; whether it names the channel.
    case alive(namesChannel: Bool)
    /// It ended at that time; whether it names the channel.
    case ended(WallTime, namesChannel: Bool)
}

/// How many channels of an app there are in an environment.
public struct ChannelCounts: Equatable, Sendable {
    /// Ready for any activity.
    public var pool = 0
    /// That activities have.
    public var used = 0
    /// That are to be deleted.
    public var doomed = 0
    /// At the provider, and known to nobody here.
    public var strangers = 0
    /// Creations whose end nobody knows.
    public var lost = 0
    /// At the provider, when it was asked last; nil before.
    public var listed: Int?

    public init() {}
}
