import FeedCore
import Feeds
import GatewayAPI
import TimeCore

/// Applies the rules of the API to topics from feeds.
extension TopicIntake: FeedReceiver {}

extension ReadinessReason {
    /// The time after which a failing feed is reported.
    private static let feedPatience = TimeInterval.seconds(300)

    /// Nil unless the feed has failed for longer than `feedPatience`. Because the API still accepts topics, the gateway
    /// stays ready.
    init?(_ feed: FeedSnapshot, now: WallTime) {
        guard let since = feed.failingSince(now: now, longerThan: ReadinessReason.feedPatience),
            let failure = feed.state.failure
        else { return nil }
        self.init(
            "feed_failing",
            "the topic feed \(feed.number) (\(feed.host)) has failed since \(since.rfc3339): it "
                + failure.explanation,
            isBlocking: false)
    }
}
