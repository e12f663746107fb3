import GatewayStore
import LiveActivity
import Synchronization
import TimeCore

@testable import GatewayAPI

/// The state of one `Idempotency-Key`, without a store.
final class Claims: IdempotencyStore {
    enum Call: Equatable {
        case claim, answer(Int), letGo, letGoWithArrival
    }

    private let state: Mutex<(claim: IdempotencyClaim?, calls: [Call])>
    private let other: (status: Int, reply: [UInt8])?

    private let isSpent: Bool
    private let held = Mutex<[TimeInterval]>([])

    /// The time for which each claim was asked to hold.
    var holds: [TimeInterval] { held.withLock { $0 } }

    /// - Parameters:
    ///   - isSpent: True if kept answers use up their budget.
    ///   - claim: The claim of the first caller; nil for an unused key.
    ///   - other: The answer of another gateway before the caller's.
    init(_ claim: IdempotencyClaim? = nil, other: (status: Int, reply: [UInt8])? = nil, isSpent: Bool = false) {
        self.isSpent = isSpent
        state = Mutex((claim, []))
        self.other = other
    }

    var calls: [Call] { state.withLock { $0.calls } }

    /// The kept answer; nil for none.
    var kept: [UInt8]? {
        state.withLock { if case .answered(_, let reply)? = $0.claim { reply } else { nil } }
    }

    func claim(
        _ key: StoredAnswers.IdempotencyKey, proposing id: UniqueID, arrived: WallTime?, hold: TimeInterval
    ) async throws(StoreError) -> IdempotencyClaim {
        state.withLock { state in
            state.calls.append(.claim)
            held.withLock { $0.append(hold) }
            return state.claim ?? .claimed(id, arrived: arrived ?? .now())
        }
    }

    func answer(
        _ key: StoredAnswers.IdempotencyKey, status: Int, reply: [UInt8]
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])? {
        state.withLock { state in
            state.calls.append(.answer(status))
            state.claim = .answered(status: status, reply: reply)
        }
        return other
    }

    func isKnown(_ key: StoredAnswers.IdempotencyKey) async throws(StoreError) -> Bool { !calls.isEmpty }

    func isBudgetSpent(_ key: StoredAnswers.IdempotencyKey) -> Bool { isSpent }

    func renew(_ key: StoredAnswers.IdempotencyKey, hold: TimeInterval) async throws(StoreError) {}

    func letGo(
        _ key: StoredAnswers.IdempotencyKey, forgetsArrival: Bool
    ) async throws(StoreError) -> (status: Int, reply: [UInt8])? {
        state.withLock { $0.calls.append(forgetsArrival ? .letGoWithArrival : .letGo) }
        return other
    }
}
