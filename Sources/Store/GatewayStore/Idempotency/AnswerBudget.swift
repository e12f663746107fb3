import Reactor
import RedisClient
import TimeCore

/// Bounds what the kept answers of a tenant take of the store: when they take what they may, further ones are kept for an
/// hour in place of a day, so nobody is refused, and what is repeated soon is safe. What a key takes counts by the part of
/// the day for which it is kept.
///
/// A gateway knows what the store said with the last answer that it gave, so it asks nothing beforehand. From any thread.
final class AnswerBudget: Sendable {
    static let bytes = 64 << 20
    /// In which a whole budget is given back.
    static let window = TimeInterval.seconds(86_400)
    /// For how long keys are known then. Keys that are kept no longer anyway, those of devices, do not count: these bound
    /// them by the requests that each of them may make.
    static let shortLife = TimeInterval.seconds(3600)
    /// What a key takes without its answer.
    static let bytesOfKey = 400

    private let spent = Locked<Set<String>>([])

    func isSpent(_ key: StoredAnswers.IdempotencyKey) -> Bool {
        AnswerBudget.counts(key) && spent.withLock { $0.contains(key.tenantID) }
    }

    /// For how long the key is known, in milliseconds.
    func life(_ key: StoredAnswers.IdempotencyKey) -> Int64 {
        Int64(clamping: (isSpent(key) ? AnswerBudget.shortLife : key.kept).millisecondsRoundedUp)
    }

    /// The store has noted so many bytes of a tenant's.
    func heard(_ bytes: Int, _ tenantID: String) {
        spent.withLock {
            if bytes >= AnswerBudget.bytes { $0.insert(tenantID) } else { $0.remove(tenantID) }
        }
    }

    /// What tells the store; nil for a key that does not count.
    /// - Parameter life: for how long it is kept, in milliseconds.
    static func note(
        _ key: StoredAnswers.IdempotencyKey, _ bytes: Int, kept life: Int64, now: WallTime
    ) -> RedisCommand? {
        guard counts(key) else { return nil }
        let window = Int64(clamping: window.millisecondsRoundedUp)
        let part = (Int64(bytes) + Int64(bytesOfKey)) * life / window
        return RedisCommand(
            script: Scripts.noteAnswer, keys: [Keys.answers(key.tenantID)],
            arguments: [part, now.milliseconds, AnswerBudget.bytes, window])
    }

    private static func counts(_ key: StoredAnswers.IdempotencyKey) -> Bool { key.kept > shortLife }
}
