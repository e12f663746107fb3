import LiveActivity
import RedisClient
public import TimeCore

/// What waits for its time.
public final class StoredDueItems: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// For how long an item that was taken is left alone by others: much longer than it takes to be carried out.
    static let dueLease = TimeInterval.seconds(15)

    /// Gateways are told of what is due sooner than this, and know of the rest because each of them reads more often
    /// when the next item of a shard is due.
    public static let lookedAhead = TimeInterval.seconds(8)

    /// When something is due, of each shard the earliest, that was written into a queue with this store since the last
    /// call. From any thread.
    public func takeNoted() -> [(shard: Int, time: WallTime)] { context.dueTimes.take() }

    /// Nothing is to be done about the item any more.
    public func drop(_ item: DueItem) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.due(item.shard), item.description))
    }

    /// Gives back what was taken from one shard and cannot be carried out now.
    /// - Parameter takenUntil: as it was taken (`TakenJobs.dueUntil`): what somebody else has taken since is left
    ///   alone.
    public func giveBack(_ items: [DueItem], takenUntil: WallTime, after pause: TimeInterval) async throws(StoreError) {
        guard let shard = items.first?.shard else { return }
        let again = (wallClock() + pause).milliseconds
        var arguments: [any RedisArgumentConvertible] = [takenUntil.milliseconds, again]
        for item in items { arguments.append(item.description) }
        _ = try await run(Scripts.giveBackItems, [Keys.due(shard)], arguments)
        noteDue(shard, at: again)
    }

    /// The item's time is a later one. Nothing happens when it has been carried out meanwhile.
    public func postpone(_ item: DueItem, until time: WallTime) async throws(StoreError) {
        let queue = Keys.due(item.shard)
        _ = try await value(RedisCommand("ZADD", queue, "XX", time.milliseconds, item.description))
        noteDue(item.shard, at: time.milliseconds)
    }
}
