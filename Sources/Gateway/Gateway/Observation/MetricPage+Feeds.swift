import FeedCore
import Feeds
import MetricsCore
import TimeCore

extension MetricPage {
    /// Adds the state of the feeds, and the polls of this gateway.
    mutating func add(_ feeds: [FeedSnapshot]) {
        func labels(_ feed: FeedSnapshot) -> MetricFamily.Labels { ["feed": "\(feed.number)", "host": feed.host] }
        func labels(_ feed: FeedSnapshot, _ result: String) -> MetricFamily.Labels {
            ["feed": "\(feed.number)", "host": feed.host, "result": result]
        }
        gauge(
            "fanfare_feed_last_success_timestamp_seconds", "Time of the last successful poll of a feed by any gateway."
        ) {
            for feed in feeds { if let time = feed.state.succeededAt { $0.add(Int(time.seconds), labels(feed)) } }
        }
        gauge("fanfare_feed_failures", "Consecutive failed polls of a feed by any gateway.") {
            for feed in feeds { $0.add(feed.state.failures, labels(feed)) }
        }
        gauge("fanfare_feed_topics", "Topics in the last answer of a feed.") {
            for feed in feeds { $0.add(feed.state.topics, labels(feed)) }
        }
        gauge("fanfare_feed_topics_refused", "Topics in the last answer of a feed that were refused.") {
            for feed in feeds { $0.add(feed.state.refused, labels(feed)) }
        }
        gauge("fanfare_feed_polled_here", "1 if this gateway polls the feed.") {
            for feed in feeds { $0.add(feed.isOwn ? 1 : 0, labels(feed)) }
        }
        counter("fanfare_feed_polls_total", "Polls of a feed by this gateway, by result.") {
            for feed in feeds {
                for result in ["taken", "unchanged"] + FeedFailure.allCases.map(\.rawValue) {
                    $0.add(feed.polls[result] ?? 0, labels(feed, result))
                }
            }
        }
        counter("fanfare_feed_elements_total", "Elements of a feed by result.") {
            for feed in feeds {
                for result in ElementOutcome.names {
                    $0.add(feed.elements[result] ?? 0, labels(feed, result))
                }
            }
        }
    }
}
