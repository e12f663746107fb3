extension GatewayConfiguration {
    /// Topics.
    public struct Topics: Sendable, Equatable {
        /// `topics.interval`: how often a live topic is looked at for followers who lack their Live Activity.
        public var interval = Duration.seconds(30)
        /// `topics.heal_limit`: how often in an hour such a follower is started again.
        public var healLimit = 2
        /// `topics.heal_after`: how long after its start a device that has reported nothing since counts as one of
        /// them.
        public var healAfter = Limit.off
        /// `topics.dismiss_unfollows`: whether who dismisses a topic's Live Activity follows it no more.
        public var dismissUnfollows = true
        /// `topics.feeds`: URLs that are polled for what is said of topics.
        public var feeds: [Feed] = []

        public init() {}

        mutating func read(_ settings: inout SettingsReader) {
            settings.read(
                "topics.interval", .duration(in: .seconds(1)...(.seconds(3600))), into: &interval)
            settings.read("topics.heal_limit", .integer("a number of starts", in: 0...100), into: &healLimit)
            settings.read("topics.heal_after", .limit(in: .seconds(60)...(.seconds(86_400))), into: &healAfter)
            settings.read("topics.dismiss_unfollows", .flag, into: &dismissUnfollows)
            feeds = FeedSettings.read(&settings)
        }
    }
}
