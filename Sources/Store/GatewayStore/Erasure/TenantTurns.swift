import Reactor

/// Admits one caller of a tenant at a time, in order of arrival.
final class TenantTurns: Sendable {
    /// The waiting callers of each tenant that has the turn.
    private let waiting = Locked<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Returns when all earlier callers of the tenant have released the turn.
    func acquire(_ tenantID: String) async {
        await withCheckedContinuation { turn in
            let isFree = waiting.withLock { waiting in
                guard waiting[tenantID] == nil else {
                    waiting[tenantID]?.append(turn)
                    return false
                }
                waiting[tenantID] = []
                return true
            }
            if isFree { turn.resume() }
        }
    }

    func release(_ tenantID: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[tenantID]?.isEmpty == false else {
                waiting[tenantID] = nil
                return nil
            }
            return waiting[tenantID]?.removeFirst()
        }
        next?.resume()
    }
}
