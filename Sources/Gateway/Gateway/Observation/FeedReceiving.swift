import FeedCore
import Feeds
import GatewayAPI
import TimeCore

/// What feeds say is taken by the rules of the API.
extension TopicIntake: FeedReceiver {}

extension ReadinessReason {
    /// A feed that fails for so long is told of.
    private static let feedPatience = TimeInterval.seconds(300)

    /// Nil for a feed that is well, or has not failed for long. Topics go on by the API, so the gateway is ready all
    /// the same.
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
