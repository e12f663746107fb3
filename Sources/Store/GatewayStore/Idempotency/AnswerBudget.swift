import Reactor
import RedisClient
import TimeCore

/// Bounds the memory that the kept answers of a tenant take in the store. The tenant's own keys have one budget and
/// those of its devices another, because the SDK's key can be taken from any app. When a budget is spent, keys are kept
/// for a short time only, so an early repetition is still safe. The bytes of a key count by the part of the window for
/// which it is kept.
///
/// A gateway knows what the store said with the last answer that it gave, so it asks nothing beforehand. From any
/// thread.
final class AnswerBudget: Sendable {
    static let bytes = 64 << 20
    /// The bytes of a key without its answer.
    static let bytesOfKey = 400

    /// The state of a tenant's budget.
    private enum Level: Comparable {
        case spent
        /// Twice the budget is used.
        case exhausted
    }

    /// The levels, by the Redis key of the budget. A budget with room has no entry.
    private let levels = Locked<[String: Level]>([:])

    func isSpent(_ key: StoredAnswers.IdempotencyKey) -> Bool { level(key) != nil }

    private func level(_ key: StoredAnswers.IdempotencyKey) -> Level? {
        levels.withLock { $0[key.holder.budget(key.tenantID)] }
    }

    /// The life of the key, in milliseconds; 0 for a key that is not kept.
    func life(_ key: StoredAnswers.IdempotencyKey) -> Int64 {
        let life: TimeInterval =
            switch (level(key), key.holder) {
            case (nil, _): key.holder.window
            // A customer's requests are limited, so its keys need no further bound.
            case (_, .customer), (.spent, _): key.holder.shortLife
            case (.exhausted, .device): .seconds(0)
            }
        return Int64(clamping: life.millisecondsRoundedUp)
    }

    /// Takes the number of bytes that the store counts for the key's budget.
    func heard(_ bytes: Int, _ key: StoredAnswers.IdempotencyKey) {
        let level: Level? =
            switch bytes {
            case ..<AnswerBudget.bytes: nil
            case ..<(2 * AnswerBudget.bytes): .spent
            default: .exhausted
            }
        levels.withLock { $0[key.holder.budget(key.tenantID)] = level }
    }

    /// The call that counts the bytes of a key in the store.
    /// - Parameter life: The time for which the key is kept, in milliseconds.
    static func note(
        _ key: StoredAnswers.IdempotencyKey, _ bytes: Int, kept life: Int64, now: WallTime
    ) -> ScriptCall<Int> {
        let window = Int64(clamping: key.holder.window.millisecondsRoundedUp)
        let part = (Int64(bytes) + Int64(bytesOfKey)) * life / window
        return Scripts.noteAnswer(
            answers: key.holder.budget(key.tenantID), bytes: part, now: now.milliseconds, budget: AnswerBudget.bytes,
            window: window)
    }
}

extension StoredAnswers {
    /// The sender of requests with idempotency keys.
    public enum KeyHolder: Sendable {
        case customer
        case device

        /// The life of a key; in this time a whole budget drains.
        var window: TimeInterval { self == .customer ? .seconds(86_400) : .seconds(3600) }

        /// The life of a key once the budget is spent.
        var shortLife: TimeInterval { self == .customer ? .seconds(3600) : .seconds(60) }

        /// The Redis key of the budget.
        func budget(_ tenantID: String) -> String {
            self == .customer ? Keys.answers(tenantID) : Keys.deviceAnswers(tenantID)
        }
    }
}
