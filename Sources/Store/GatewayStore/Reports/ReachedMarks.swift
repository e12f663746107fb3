import Reactor
import RedisClient
import TimeCore

/// Limits how many devices are marked as reached in a second, so that a storm of first syncs costs little. The other
/// devices are marked by a later sync. Confined to the reactor.
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
    /// Records that a push has reached a device, unless the limit is used up. Ignores the reply. On the reactor.
    func markReached(_ userKey: [UInt8], _ deviceField: [UInt8]) {
        assert(redis.reactor.isOnReactor)
        guard gathered.reachedMarks.take(redis.reactor.now) else { return }
        let user = String(decoding: userKey, as: UTF8.self)
        redis.send(Scripts.markReached(user: user, field: deviceField).command) { _ in }
    }
}
