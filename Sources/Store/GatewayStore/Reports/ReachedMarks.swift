import Reactor
import RedisClient
import TimeCore

/// How many devices are marked as reached in a second: in a storm few of those that sync for the first time, so that it
/// costs nothing worth speaking of; the others are with a later sync. Confined to the reactor.
final class ReachedMarks: @unchecked Sendable {
    static let perSecond = 500

    private var second: UInt64 = 0
    private var count = 0

    func take(_ now: MonotonicTime) -> Bool {
        let second = now.nanoseconds / 1_000_000_000
        if second != self.second { (self.second, count) = (second, 0) }
        count += 1
        return count <= ReachedMarks.perSecond
    }
}

extension StoredReports {
    /// Notes that a push has reached a device, if there is time for it. Nobody waits for that. On the reactor.
    func markReached(_ userKey: [UInt8], _ deviceField: [UInt8]) {
        assert(redis.reactor.isOnReactor)
        guard reachedMarks.take(redis.reactor.now) else { return }
        redis.send(RedisCommand(script: Scripts.markReached, keys: [userKey], arguments: [deviceField])) { _ in }
    }
}
