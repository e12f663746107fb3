public import LiveActivity
import RedisClient

extension StoredRestarts {
    /// Takes the lock on restarts of an activity, as the broadcast that is to come of it. Nil while another restart is
    /// being prepared or any start of the activity is under way: its devices are still its own.
    public func lockRestarts(
        of activity: UniqueID, for broadcast: UniqueID
    ) async throws(StoreError) -> RestartLock? {
        guard try await !reader.isStarting(activity) else { return nil }
        let taken = try await StoreLock.take(Keys.restartLock(activity), as: broadcast.description, in: redis)
        guard let lock = taken.map(RestartLock.init) else { return nil }
        // A start is recorded only by the lock's holder, so from here on none begins.
        if try await reader.isStarting(activity) {
            await unlock(lock)
            return nil
        }
        return lock
    }

    /// Gives the lock back. Should this fail, it runs out.
    public func unlock(_ lock: RestartLock) async {
        await lock.hold.giveBack()
    }
}
