import GatewayStore
import Reactor
public import TimeCore

/// The live topics that this gateway drives and whose start it could not record yet. From any thread.
public final class TopicStartDelays: Sendable {
    private let waiting = Locked<[TopicID: (since: MonotonicTime, seen: MonotonicTime)]>([:])

    /// A topic that is not reported for so long is driven by another gateway.
    private static let life = TimeInterval.seconds(60)

    init() {}

    /// A drive of a topic has ended.
    /// - Parameter isWaiting: true if the topic is live, has followers to start, and no start was recorded.
    func drove(_ topic: TopicID, isWaiting: Bool, now: MonotonicTime = .now()) {
        waiting.withLock {
            $0[topic] = isWaiting ? ($0[topic]?.since ?? now, now) : nil
        }
    }

    /// The time for which the topic that waits longest has waited; zero if none waits.
    public func longest(now: MonotonicTime = .now()) -> TimeInterval {
        waiting.withLock { topics in
            topics = topics.filter { now - $0.value.seen < TopicStartDelays.life }
            return topics.values.map { now - $0.since }.max() ?? .zero
        }
    }
}
