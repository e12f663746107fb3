import GatewayStore
import Reactor
import Secrets
import TimeCore

/// The recent sessions of operators. They show operators the state of the gateway while the store is unavailable.
final class RememberedOperators: Sendable {
    private struct Entry {
        let session: ConsoleSession
        let until: MonotonicTime
    }

    /// The sessions by the hash of the browser's secret.
    private let entries = Locked<[String: Entry]>([:])
    private static let time = TimeInterval.seconds(300)
    private static let most = 64

    /// - Parameter session: The store's answer. Nil or a tenant's session removes the entry.
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

    /// Returns a session that has not expired; nil if there is none.
    func session(of secret: String, now: MonotonicTime) -> ConsoleSession? {
        entries.withLock { $0[Secret.hexHash(secret)] }.flatMap { $0.until > now ? $0.session : nil }
    }
}
