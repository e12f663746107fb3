public import GatewayStore
public import Logging
import TimeCore

/// All feeds that a gateway is told of. From any thread.
public final class FeedPollers: Sendable {
    private let pollers: [FeedPoller]

    /// Throws when a file of certificates cannot be read; nothing is asked yet.
    public init(
        _ feeds: [FeedOptions], store: GatewayStore, receiver: any FeedReceiver, logger: Logger
    ) throws {
        pollers = try feeds.map { try FeedPoller($0, store, receiver, logger) }
    }

    /// Begins to poll those that no other gateway polls.
    public func start() {
        for poller in pollers { poller.start() }
    }

    /// Ends what is under way, and leaves the feeds to other gateways. To be called once, while the store is there.
    public func stop() async {
        await withTaskGroup(of: Void.self) { group in
            for poller in pollers { group.addTask { await poller.stop() } }
        }
    }

    /// How all are doing, in the order of the configuration.
    public var snapshots: [FeedSnapshot] { pollers.map(\.snapshot) }
}
