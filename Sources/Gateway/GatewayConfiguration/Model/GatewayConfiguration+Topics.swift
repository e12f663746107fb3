extension GatewayConfiguration {
    /// `topics`: topics and their feeds.
    public struct Topics: Sendable, Equatable {
        /// `topics.interval`: the interval at which a live topic is checked for followers without a Live Activity.
        public var interval = Duration.seconds(30)
        /// `topics.heal_limit`: the number of times an hour that a follower without a Live Activity is started again.
        public var healLimit = 2
        /// `topics.dismiss_unfollows`: true if a follower who dismisses the topic's Live Activity stops following the
        /// topic.
        public var dismissUnfollows = true
        /// `topics.feeds`: the URLs that are polled for topics.
        public var feeds: [Feed] = []

        public init() {}

        mutating func read(_ settings: inout SettingsReader) {
            settings.read(
                "topics.interval", .duration(in: .seconds(1)...(.seconds(3600))), into: &interval)
            settings.read("topics.heal_limit", .integer("a number of starts", in: 0...100), into: &healLimit)
            settings.read("topics.dismiss_unfollows", .flag, into: &dismissUnfollows)
            feeds = FeedSettings.read(&settings)
        }
    }
}
