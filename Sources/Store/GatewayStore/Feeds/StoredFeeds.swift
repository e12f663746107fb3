public import FeedCore
public import LiveActivity
import RedisClient
public import TimeCore

/// Feeds, in Redis: which gateway polls each of them, what they said last, and how they are doing. From any thread.
public final class StoredFeeds: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) { self.context = context }

    /// So long after its last poll a feed that nobody is told of any more is forgotten.
    private static let lifetime = TimeInterval.seconds(7 * 86_400)

    /// Takes or renews the lease on polling a feed.
    /// - Returns: whether it is the holder's now, and how the feed is doing.
    public func lease(
        _ id: FeedID, holder: UniqueID, for time: TimeInterval
    ) async throws(StoreError) -> (isOwn: Bool, record: FeedRecord) {
        let reply =
            try await run(
                Scripts.leaseFeed, [Keys.feedLease(id), Keys.feed(id)],
                [holder.description, String(max(1, time.millisecondsRoundedUp))]
            ).array ?? []
        guard reply.count == 2 else { throw .damaged("a feed") }
        return (reply[0].int == 1, FeedRecord(reply[1].fields))
    }

    /// Writes down how a feed is doing.
    /// - Parameter record: what the poll began with.
    /// - Returns: false when the lease was lost: then the holder takes all that the feed says again.
    public func note(
        _ state: FeedState, after record: FeedRecord, of id: FeedID, holder: UniqueID
    ) async throws(StoreError) -> Bool {
        try await run(
            Scripts.notePoll, [Keys.feedLease(id), Keys.feed(id)],
            [holder.description, record.strays, String(StoredFeeds.lifetime.millisecondsRoundedUp)]
                + FeedRecord.fields(state)
        ).int == 1
    }

    /// Gives the lease back, if it is the holder's.
    public func returnLease(_ id: FeedID, holder: UniqueID) async throws(StoreError) {
        _ = try await run(Scripts.leaseFeed, [Keys.feedLease(id), Keys.feed(id)], [holder.description, "0"])
    }
}
