import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// A lock that is renewed as long as its holder lives: who is killed leaves it for `life` at most, and who goes on
/// working keeps it. Whoever lets go of this without giving it back is as one that is killed.
///
/// It is no fence: a gateway that slept has lost it without knowing. So the step that makes a change count is a script
/// that compares the token, or a version.
final class StoreLock: Sendable {
    /// How long others wait behind a gateway that was killed, if the caller says nothing else.
    static let life = TimeInterval.seconds(5)
    /// Two renewals in a row may be lost.
    static let period = TimeInterval.milliseconds(1500)
    /// What takes longer has gone astray, and holds nobody up any more.
    private static let longest = TimeInterval.seconds(600)

    /// The caller's, and no other's.
    let token: String
    private let key: String
    private let redis: RedisClient
    private let life: TimeInterval
    private let goodUntil: Locked<MonotonicTime>
    private let renewal: Task<Void, Never>

    /// Takes a lock; nil while somebody else has it.
    static func take(
        _ key: String, as token: String = UniqueID.random().description, in redis: RedisClient,
        life: TimeInterval = StoreLock.life, period: TimeInterval = StoreLock.period
    ) async throws(StoreError) -> StoreLock? {
        let asked = MonotonicTime.now()
        let command = RedisCommand("SET", key, token, "NX", "PX", life.millisecondsRoundedUp)
        guard try !StoreError.unwrap(await redis.call(command)).isNull else { return nil }
        return StoreLock(key, token, redis, Locked(asked + life), life, period)
    }

    /// Takes a lock, and waits for it while somebody else has it; nil if that takes longer than `patience`.
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
                // What the store has not answered is asked again a period later; a lock that is lost stays so.
                if (try? await StoreLock.renew(key, token, redis, goodUntil, life)) == false { return }
            }
        }
    }

    deinit { renewal.cancel() }

    /// Whether it is surely the caller's: for what no script compares the token.
    var isHeld: Bool { MonotonicTime.now() < goodUntil.withLock { $0 } }

    /// Asks whether it is still the caller's, who has it for as long again then.
    func renew() async throws(StoreError) -> Bool {
        try await StoreLock.renew(key, token, redis, goodUntil, life)
    }

    /// Gives it back. Should this fail, it runs out.
    func giveBack() async {
        renewal.cancel()
        goodUntil.withLock { $0 = MonotonicTime(nanoseconds: 0) }
        _ = await redis.call(RedisCommand(script: Scripts.unlock, keys: [key], arguments: [token]))
    }

    private static func renew(
        _ key: String, _ token: String, _ redis: RedisClient, _ goodUntil: Locked<MonotonicTime>, _ life: TimeInterval
    ) async throws(StoreError) -> Bool {
        let asked = MonotonicTime.now()
        let command = RedisCommand(
            script: Scripts.renewLock, keys: [key], arguments: [token, life.millisecondsRoundedUp])
        let isHeld = try StoreError.unwrap(await redis.call(command)).int == 1
        goodUntil.withLock { $0 = isHeld ? asked + life : MonotonicTime(nanoseconds: 0) }
        return isHeld
    }
}
