import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// A lock that is renewed until its holder releases it or drops this object. After a crash it expires within `life`.
///
/// The lock is no fence, because a suspended holder can lose it unnoticed. So the deciding write must be a script that
/// compares the token or a version.
final class StoreLock: Sendable {
    /// The default time until the lock of a killed gateway expires.
    static let life = TimeInterval.seconds(5)
    /// The pause between renewals. Two of them in a row may fail.
    static let period = TimeInterval.milliseconds(1500)
    /// The time after which renewal ends, because the holder is assumed to be stuck.
    private static let longest = TimeInterval.seconds(600)

    /// The holder's unique token.
    let token: String
    private let key: String
    private let redis: RedisClient
    private let life: TimeInterval
    private let goodUntil: Locked<MonotonicTime>
    private let renewal: Task<Void, Never>

    /// Acquires a lock. Returns nil if it is held.
    static func take(
        _ key: String, as token: String = UniqueID.random().description, in redis: RedisClient,
        life: TimeInterval = StoreLock.life, period: TimeInterval = StoreLock.period
    ) async throws(StoreError) -> StoreLock? {
        let asked = MonotonicTime.now()
        let call = Lease.take(key, as: token, for: life)
        guard try call.reply(StoreError.unwrap(await redis.call(call.command))) else { return nil }
        return StoreLock(key, token, redis, Locked(asked + life), life, period)
    }

    /// Acquires a lock, and retries while it is held. Returns nil after `patience`.
    static func take(
        _ key: String, in redis: RedisClient, patience: TimeInterval
    ) async throws(StoreError) -> StoreLock? {
        let end = MonotonicTime.now() + patience
        while true {
            if let lock = try await take(key, in: redis) { return lock }
            guard MonotonicTime.now() < end, (try? await Task.sleep(for: .milliseconds(25))) != nil else { return nil }
        }
    }

    private init(
        _ key: String, _ token: String, _ redis: RedisClient, _ goodUntil: Locked<MonotonicTime>, _ life: TimeInterval,
        _ period: TimeInterval
    ) {
        (self.key, self.token, self.redis, self.life, self.goodUntil) = (key, token, redis, life, goodUntil)
        let end = MonotonicTime.now() + StoreLock.longest
        renewal = Task {
            while MonotonicTime.now() < end, (try? await Task.sleep(for: .nanoseconds(period.nanoseconds))) != nil {
                // After an error the next period retries. A lost lock is not acquired again.
                if (try? await StoreLock.renew(key, token, redis, goodUntil, life)) == false { return }
            }
        }
    }

    deinit { renewal.cancel() }

    /// True if the lock is certainly held. For steps that no script guards by the token.
    var isHeld: Bool { MonotonicTime.now() < goodUntil.withLock { $0 } }

    /// Renews the lock. Returns false if it is lost.
    func renew() async throws(StoreError) -> Bool {
        try await StoreLock.renew(key, token, redis, goodUntil, life)
    }

    /// Releases the lock. Ignores errors, because the lock expires.
    func giveBack() async {
        renewal.cancel()
        goodUntil.withLock { $0 = MonotonicTime(nanoseconds: 0) }
        _ = await redis.call(Lease.giveBack(key, as: token).command)
    }

    private static func renew(
        _ key: String, _ token: String, _ redis: RedisClient, _ goodUntil: Locked<MonotonicTime>, _ life: TimeInterval
    ) async throws(StoreError) -> Bool {
        let asked = MonotonicTime.now()
        let call = Lease.renew(key, as: token, for: life)
        let isHeld = try call.reply(StoreError.unwrap(await redis.call(call.command)))
        goodUntil.withLock { $0 = isHeld ? asked + life : MonotonicTime(nanoseconds: 0) }
        return isHeld
    }
}
