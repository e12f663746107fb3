public import TimeCore

extension MockScript {
    /// What the app may do with channels.
    public struct Channels: Sendable, Equatable {
        /// False: every request about channels and every push to one is refused with `FeatureNotEnabled`.
        public var isEnabled = true
        /// How many channels there may be at a time.
        public var limit = 10_000
        /// A push to a channel that comes sooner after another is refused (429), beyond the burst. Nil switches it off.
        public var publishInterval: TimeInterval? = .seconds(1)
        /// How many pushes to a channel may come at once.
        public var publishBurst = 3

        public init() {}
    }

    /// The script with the rules for calls about channels alone.
    var forChannelCalls: MockScript { keepingRules { $0.match.event?.isChannelCall == true } }
    /// The script with the rules for pushes alone.
    var forPushes: MockScript { keepingRules { $0.match.event?.isChannelCall != true } }

    private func keepingRules(_ isKept: (MockRule) -> Bool) -> MockScript {
        var script = self
        script.rules = rules.filter(isKept)
        return script
    }
}
