extension Keys {
    /// The key prefix of an app's broadcast channels in one environment.
    static func channels(_ bundleIdentifier: String, _ environment: String) -> ChannelKeys {
        ChannelKeys(prefix: "fanfare:{ch:\(bundleIdentifier):\(environment)}")
    }
}

/// The keys of an app's broadcast channels in one environment.
struct ChannelKeys: Sendable {
    let prefix: String

    /// The channels that are ready for any activity, by the time of their creation.
    var pool: String { "\(prefix):pool" }
    /// The channels of activities: a hash from channel to taker and time.
    var used: String { "\(prefix):used" }
    /// The channels by taker.
    var takers: String { "\(prefix):takers" }
    /// The channels to be deleted, by the time from which they may be.
    var doomed: String { "\(prefix):doomed" }
    /// The creations under way, by their start.
    var intents: String { "\(prefix):intents" }
    /// The channels that only the provider knows, by the time at which they were first seen.
    var strangers: String { "\(prefix):strangers" }
    /// The result of the provider's last list.
    var listing: String { "\(prefix):listing" }
    /// The lease of the gateway that maintains the channels.
    var lease: String { "\(prefix):lease" }
}
