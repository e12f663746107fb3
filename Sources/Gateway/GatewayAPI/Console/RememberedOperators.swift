import GatewayStore
import Reactor
import Secrets
import TimeCore

/// Operators who were signed in a moment ago: they see what is wrong with a store that does not say who they are.
final class RememberedOperators: Sendable {
    private struct Entry {
        let session: ConsoleSession
        let until: MonotonicTime
    }

    /// By the hash of what the browser has.
    private let entries = Locked<[String: Entry]>([:])
    private static let time = TimeInterval.seconds(300)
    private static let most = 64

    /// - Parameter session: what the store has said; nil or a tenant's: nothing is remembered.
    func note(_ session: ConsoleSession?, of secret: String, now: MonotonicTime) {
        let key = Secret.hexHash(secret)
        guard let session, case .operatorNamed = session.identity else {
            entries.withLock { $0[key] = nil }
            return
        }
        entries.withLock { entries in
            if entries.count >= RememberedOperators.most, entries[key] == nil {
                entries = entries.filter { $0.value.until > now }
                guard entries.count < RememberedOperators.most else { return }
            }
            entries[key] = Entry(session: session, until: now + RememberedOperators.time)
        }
    }

    /// Nil when nobody is remembered for it.
    func session(of secret: String, now: MonotonicTime) -> ConsoleSession? {
        entries.withLock { $0[Secret.hexHash(secret)] }.flatMap { $0.until > now ? $0.session : nil }
    }
}
