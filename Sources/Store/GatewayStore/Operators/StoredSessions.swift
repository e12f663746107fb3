import RedisClient
import Secrets
import TimeCore

/// The console sessions of all gateways. The store has only hashes of the browsers' secrets and of the keys, so a
/// reader of the store cannot sign in.
public final class StoredSessions: StoreFeature {
    let context: StoreContext
    private let operators: StoredOperators

    /// The time without requests after which a session ends.
    public static let rest = TimeInterval.seconds(3600)
    /// The longest duration of a session.
    public static let life = TimeInterval.seconds(12 * 3600)

    init(_ context: StoreContext, operators: StoredOperators) {
        self.context = context
        self.operators = operators
    }

    /// The least time between extensions of a session.
    private static let renewal = TimeInterval.seconds(60)

    /// The credentials of a new session, shown only once.
    public struct Given: Sendable {
        /// The browser's cookie, which scripts cannot read.
        public let secret: String
        /// The page's token, which other pages cannot read. Browsers send the cookie to all ports of a machine, so the
        /// cookie alone is not sufficient.
        public let token: String
        /// The new session.
        public let session: ConsoleSession
    }

    /// Begins a session and returns its credentials.
    public func begin(_ identity: ConsoleSession.Identity, keyHash: String) async throws(StoreError) -> Given {
        let (secret, token) = (Secret.generate(.session), Secret.generate(.session))
        let session = ConsoleSession(
            identity: identity, keyHash: keyHash, tokenHash: Secret.hexHash(token),
            endsAt: wallClock() + StoredSessions.life)
        _ = try await value(
            RedisCommand("SET", key(secret), session.kept, "PX", StoredSessions.rest.wholeMilliseconds))
        return Given(secret: secret, token: token, session: session)
    }

    /// Returns and extends a browser's session; nil if it has ended, or if its operator's key is no longer valid. A
    /// tenant's key is checked at each request instead.
    public func session(of secret: String) async throws(StoreError) -> ConsoleSession? {
        let key = key(secret)
        let read = try await values([RedisCommand("GET", key), RedisCommand("PTTL", key)])
        guard let kept = read[0].bytes, let session = ConsoleSession(kept: kept) else { return nil }
        let left = session.endsAt.milliseconds - wallClock().milliseconds
        guard left > 0 else { return nil }
        if case .operatorNamed(let name) = session.identity {
            guard try await operators.named(name)?.keyHash == session.keyHash else { return nil }
        }
        let rest = Int64(StoredSessions.rest.wholeMilliseconds)
        if let had = read[1].int, had < rest - Int64(StoredSessions.renewal.wholeMilliseconds) {
            // The session stays usable while the store refuses writes.
            _ = try? await value(RedisCommand("PEXPIRE", key, min(left, rest)))
        }
        return session
    }

    /// Ends a session. Does nothing if it has ended.
    public func end(_ secret: String) async throws(StoreError) {
        _ = try await value(RedisCommand("DEL", key(secret)))
    }

    private func key(_ secret: String) -> String { Keys.session(Secret.hexHash(secret)) }
}
