import LiveActivity
import RedisClient
public import TimeCore

/// The due queues of the shards.
public final class StoredDueItems: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// The lease on a taken item. It is much longer than the work on an item.
    static let dueLease = TimeInterval.seconds(15)

    /// The time ahead within which gateways are notified of due items. Each gateway reads the next due times of all
    /// shards more often than this, and so finds later items.
    public static let lookedAhead = TimeInterval.seconds(8)

    /// Returns the earliest due time of each shard that this store has written since the last call. Callable from any
    /// thread.
    public func takeNoted() -> [(shard: Int, time: WallTime)] { context.dueTimes.take() }

    /// Removes an item that needs no more work.
    public func drop(_ item: DueItem) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.due(item.shard), item.description))
    }

    /// Returns items of one shard that cannot be handled now to the queue.
    /// - Parameter takenUntil: The end of the lease (`TakenJobs.dueUntil`). Items that another gateway has taken since
    ///   are left alone.
    public func giveBack(_ items: [DueItem], takenUntil: WallTime, after pause: TimeInterval) async throws(StoreError) {
        guard let shard = items.first?.shard else { return }
        let again = (wallClock() + pause).milliseconds
        _ = try await run(
            Scripts.giveBackItems(
                due: Keys.due(shard), takenUntil: takenUntil.milliseconds, at: again, items: items.map(\.description)))
        noteDue(shard, at: again)
    }

    /// Moves an item to a later time. Does nothing if it is no longer in the queue.
    public func postpone(_ item: DueItem, until time: WallTime) async throws(StoreError) {
        let queue = Keys.due(item.shard)
        _ = try await value(RedisCommand("ZADD", queue, "XX", time.milliseconds, item.description))
        noteDue(item.shard, at: time.milliseconds)
    }
}
