public import FeedCore
public import LiveActivity
import RedisClient
public import TimeCore

/// The feeds in Redis: their polling leases and their states. Callable from any thread.
public final class StoredFeeds: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) { self.context = context }

    /// The time for which a feed's state is kept after its last poll.
    private static let lifetime = TimeInterval.seconds(7 * 86_400)

    /// Acquires or renews the lease on polling a feed.
    /// - Returns: True if the holder has the lease now, and the feed's state.
    public func lease(
        _ id: FeedID, holder: UniqueID, for time: TimeInterval
    ) async throws(StoreError) -> (isOwn: Bool, record: FeedRecord) {
        let call = Lease.hold(Keys.feedLease(id), as: holder.description, for: time)
        let replies = try await values([call.command, RedisCommand("HGETALL", Keys.feed(id))])
        return (try call.reply(replies[0]), FeedRecord(replies[1].fields))
    }

    /// Records a feed's state after a poll.
    /// - Parameter record: The record with which the poll began.
    /// - Returns: False if the lease was lost. The new holder then writes all topics of the feed again.
    public func note(
        _ state: FeedState, after record: FeedRecord, of id: FeedID, holder: UniqueID
    ) async throws(StoreError) -> Bool {
        try await run(
            Scripts.notePoll(
                lease: Keys.feedLease(id), feed: Keys.feed(id), holder: holder.description, strays: record.strays,
                lifetime: String(StoredFeeds.lifetime.millisecondsRoundedUp), fields: FeedRecord.fields(state)))
    }

    /// Releases the lease if the holder still has it.
    public func returnLease(_ id: FeedID, holder: UniqueID) async throws(StoreError) {
        _ = try await run(Lease.giveBack(Keys.feedLease(id), as: holder.description))
    }
}
