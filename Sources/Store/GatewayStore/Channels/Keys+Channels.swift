extension Keys {
    /// What the keys of an app's broadcast channels in one environment begin with.
    static func channels(_ bundleIdentifier: String, _ environment: String) -> ChannelKeys {
        ChannelKeys(prefix: "fanfare:{ch:\(bundleIdentifier):\(environment)}")
    }
}

/// The names of the keys under which the broadcast channels of an app are kept, in one environment.
struct ChannelKeys: Sendable {
    let prefix: String

    /// Those that are ready for any activity, by the time at which they were made.
    var pool: String { "\(prefix):pool" }
    /// Those that activities have: by channel, who has it and since when.
    var used: String { "\(prefix):used" }
    /// By who has it, the channel.
    var takers: String { "\(prefix):takers" }
    /// Those that are to be deleted, by when.
    var doomed: String { "\(prefix):doomed" }
    /// Creations that are under way, by when they began.
    var intents: String { "\(prefix):intents" }
    /// Those at the provider that nobody here knows of, by when they were first seen.
    var strangers: String { "\(prefix):strangers" }
    /// What the last list of the provider said.
    var listing: String { "\(prefix):listing" }
    /// Who keeps them.
    var lease: String { "\(prefix):lease" }
}
