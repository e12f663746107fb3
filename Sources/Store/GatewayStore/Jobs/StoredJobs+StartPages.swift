import LiveActivity
import RedisClient
import RosterCore

extension StoredJobs {
    /// The start pages that are no longer needed after a start. The activity's own start releases all of them. A later
    /// one releases only its own, because the activity's own may be under way still.
    /// - Parameters:
    ///   - order: Nil if it no longer exists. The pages of a later start then expire with the activity.
    ///   - slots: The slots of the segment.
    func pagesDone(
        by broadcast: UniqueID, in activity: UniqueID, _ order: BroadcastOrder?, _ slots: SlotRanges
    ) async throws(StoreError) -> [Int] {
        let first = try await value(RedisCommand("GET", Keys.startLock(activity))).string
        return first == broadcast.description ? slots.pages : order?.pages ?? []
    }

    /// Deletes the start pages of an ended start. Pages of a later restart remain.
    func unlinkStartPages(
        of broadcast: UniqueID, _ pages: [Int], _ activity: UniqueID
    ) async throws(StoreError) {
        let partitions = Dictionary(grouping: pages, by: RosterGeometry.partition(ofPage:)).sorted { $0.key < $1.key }
        for start in stride(from: 0, to: partitions.count, by: StoredJobs.partitionsAtOnce) {
            let part = partitions[start..<min(partitions.count, start + StoredJobs.partitionsAtOnce)]
            _ = try await values(
                part.map { partition, pages in
                    Scripts.dropStartPages(
                        counters: Keys.counters(activity, partition),
                        startPages: pages.map { Keys.startPage(activity, $0) }, broadcast: broadcast.description
                    ).command
                })
        }
    }

    /// Releases the start lock after the start that took it and the deletion of its pages. From then on the activity's
    /// state refuses another start.
    func releaseStartLock(of broadcast: UniqueID, in activity: UniqueID) async throws(StoreError) {
        _ = try await run(Lease.giveBack(Keys.startLock(activity), as: broadcast.description))
    }

    private static let partitionsAtOnce = 16
}
