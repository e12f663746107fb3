import LiveActivity
import RedisClient

extension StoredJobs {
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

    private static let partitionsAtOnce = 16
}
