public import TimeCore

extension MockScript {
    /// The app's permissions and limits for channels.
    public struct Channels: Sendable, Equatable {
        /// False rejects all channel calls and pushes to channels with `FeatureNotEnabled`.
        public var isEnabled = true
        /// The maximum number of channels at a time.
        public var limit = 10_000
        /// The minimum interval of pushes to a channel, beyond the burst. Faster pushes get 429. Nil disables the
        /// limit.
        public var publishInterval: TimeInterval? = .seconds(1)
        /// The number of pushes to a channel that may arrive at once.
        public var publishBurst = 3

        public init() {}
    }

    /// The script with only the rules for channel calls.
    var forChannelCalls: MockScript { keepingRules { $0.match.event?.isChannelCall == true } }
    /// The script with only the rules for pushes.
    var forPushes: MockScript { keepingRules { $0.match.event?.isChannelCall != true } }

    private func keepingRules(_ isKept: (MockRule) -> Bool) -> MockScript {
        var script = self
        script.rules = rules.filter(isKept)
        return script
    }
}
