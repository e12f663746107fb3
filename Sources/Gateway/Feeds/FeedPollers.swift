public import GatewayStore
public import Logging
import TimeCore

/// The pollers of all configured feeds. From any thread.
public final class FeedPollers: Sendable {
    private let pollers: [FeedPoller]

    /// Throws if a file of certificates cannot be read. Sends no request yet.
    public init(
        _ feeds: [FeedOptions], store: GatewayStore, receiver: any FeedReceiver, logger: Logger
    ) throws {
        pollers = try feeds.map { try FeedPoller($0, store, receiver, logger) }
    }

    /// Begins to poll the feeds that no other gateway polls.
    public func start() {
        for poller in pollers { poller.start() }
    }

    /// Ends the work in progress, and leaves the feeds to other gateways. Call it once, while the store is available.
    public func stop() async {
        await withTaskGroup(of: Void.self) { group in
            for poller in pollers { group.addTask { await poller.stop() } }
        }
    }

    /// The current states of all feeds, in the order of the configuration.
    public var snapshots: [FeedSnapshot] { pollers.map(\.snapshot) }
}
