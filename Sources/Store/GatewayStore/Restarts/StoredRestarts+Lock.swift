public import LiveActivity
import RedisClient

extension StoredRestarts {
    /// How long the lock on restarts is held when nothing is heard of its holder.
    private static let restartLockLife = 30_000

    /// Takes the lock on restarts of an activity, as the broadcast that is to come of it. Nil while another restart is being
    /// prepared or any start of the activity is under way: its devices are still its own.
    public func lockRestarts(
        of activity: UniqueID, for broadcast: UniqueID
    ) async throws(StoreError) -> RestartLock? {
        guard try await !reader.isStarting(activity) else { return nil }
        let lock = RestartLock(activity: activity, token: broadcast.description)
        let command = RedisCommand(
            "SET", Keys.restartLock(activity), lock.token, "NX", "PX", StoredRestarts.restartLockLife)
        guard try await !value(command).isNull else { return nil }
        // A start is recorded only by the lock's holder, so from here on none begins.
        if try await reader.isStarting(activity) {
            await unlock(lock)
            return nil
        }
        return lock
    }

    /// Holds the lock for as long again. False when it has run out.
    func renew(_ lock: RestartLock) async throws(StoreError) -> Bool {
        try await run(
            Scripts.renewLock, [Keys.restartLock(lock.activity)], [lock.token, StoredRestarts.restartLockLife]
        ).int == 1
    }

    /// Gives the lock back. Should this fail, it runs out.
    public func unlock(_ lock: RestartLock) async {
        let command = RedisCommand(
            script: Scripts.unlock, keys: [Keys.restartLock(lock.activity)], arguments: [lock.token])
        _ = await redis.call(command)
    }
}
