public import LiveActivity
import RedisClient

extension GatewayStore {
    /// How long the lock on restarts is held when nothing is heard of its holder.
    private static let restartLockLife = 30_000

    /// Takes the lock on restarts of an activity, as the broadcast that is to come of it. Nil while another restart is being
    /// prepared or any start of the activity is under way: its devices are still its own.
    public func lockRestarts(
        of activity: UniqueID, for broadcast: UniqueID
    ) async throws(StoreError) -> RestartLock? {
        guard try await !isStarting(activity) else { return nil }
        let lock = RestartLock(activity: activity, token: broadcast.description)
        let command = RedisCommand(
            "SET", Keys.restartLock(activity), lock.token, "NX", "PX", GatewayStore.restartLockLife)
        guard try await !value(command).isNull else { return nil }
        // A start is recorded only by the lock's holder, so from here on none begins.
        if try await isStarting(activity) {
            await unlock(lock)
            return nil
        }
        return lock
    }

    /// Holds the lock for as long again. False when it has run out.
    func renew(_ lock: RestartLock) async throws(StoreError) -> Bool {
        try await run(
            Scripts.renewLock, [Keys.restartLock(lock.activity)], [lock.token, GatewayStore.restartLockLife]
        ).int == 1
    }

    /// Gives the lock back. Should this fail, it runs out.
    public func unlock(_ lock: RestartLock) async {
        let command = RedisCommand(
            script: Scripts.unlock, keys: [Keys.restartLock(lock.activity)], arguments: [lock.token])
        _ = await redis.call(command)
    }

    /// Drops the start pages of a start that has ended; those that a restart has made since stay.
    func unlinkStartPages(
        of broadcast: UniqueID, _ pages: [Int], _ activity: UniqueID
    ) async throws(StoreError) {
        let partitions = Dictionary(grouping: pages, by: RosterGeometry.partition(ofPage:)).sorted { $0.key < $1.key }
        for start in stride(from: 0, to: partitions.count, by: GatewayStore.partitionsAtOnce) {
            let part = partitions[start..<min(partitions.count, start + GatewayStore.partitionsAtOnce)]
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
