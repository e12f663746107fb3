import LiveActivity
import RedisClient
import RosterCore

extension StoredJobs {
    /// The start pages that nobody needs when a start is over. The activity's own start has done with those of all,
    /// whomever it was for. One that came later has done with its own only: the activity's may be under way still.
    /// - Parameters:
    ///   - order: nil when it is not there any more; what a later start has left then expires with the activity.
    ///   - slots: of the segment.
    func pagesDone(
        by broadcast: UniqueID, in activity: UniqueID, _ order: BroadcastOrder?, _ slots: SlotRanges
    ) async throws(StoreError) -> [Int] {
        let first = try await value(RedisCommand("GET", Keys.startLock(activity))).string
        return first == broadcast.description ? slots.pages : order?.pages ?? []
    }

    /// Drops the start pages of a start that has ended; those that a restart has made since stay.
    func unlinkStartPages(
        of broadcast: UniqueID, _ pages: [Int], _ activity: UniqueID
    ) async throws(StoreError) {
        let partitions = Dictionary(grouping: pages, by: RosterGeometry.partition(ofPage:)).sorted { $0.key < $1.key }
        for start in stride(from: 0, to: partitions.count, by: StoredJobs.partitionsAtOnce) {
            let part = partitions[start..<min(partitions.count, start + StoredJobs.partitionsAtOnce)]
            _ = try await values(
                part.map { partition, pages in
                    RedisCommand(
                        script: Scripts.dropStartPages,
                        keys: [Keys.counters(activity, partition)] + pages.map { Keys.startPage(activity, $0) },
                        arguments: [broadcast.description])
                })
        }
    }

    /// Gives the start lock back when the start that took it is over, and its pages are gone. It has made sure that of
    /// concurrent starts one was recorded; since then the activity's state refuses any other.
    func releaseStartLock(of broadcast: UniqueID, in activity: UniqueID) async throws(StoreError) {
        _ = try await run(Scripts.unlock, [Keys.startLock(activity)], [broadcast.description])
    }

    private static let partitionsAtOnce = 16
}
