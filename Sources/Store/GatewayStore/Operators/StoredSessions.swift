import RedisClient
import Secrets
import TimeCore

/// Who has signed in at the console of any gateway. What the browser has for it is kept as a hash only, and so is the
/// key that it was given for: neither opens anything for whoever reads the store.
public final class StoredSessions: StoreFeature {
    let context: StoreContext
    private let operators: StoredOperators

    /// A session ends when nothing was asked for so long,
    public static let rest = TimeInterval.seconds(3600)
    /// and in any case after so long.
    public static let life = TimeInterval.seconds(12 * 3600)

    init(_ context: StoreContext, operators: StoredOperators) {
        self.context = context
        self.operators = operators
    }

    /// While a session goes on its rest is made longer again so often.
    private static let renewal = TimeInterval.seconds(60)

    /// What whoever signs in is given, this once.
    public struct Given: Sendable {
        /// The browser's, which no script reads.
        public let secret: String
        /// The page's, which no other page reads. A browser takes all ports of a machine for one site, and sends each
        /// of them the secret: so that is worth nothing without this.
        public let token: String
        /// What both are for.
        public let session: ConsoleSession
    }

    /// Begins a session.
    public func begin(_ identity: ConsoleSession.Identity, keyHash: String) async throws(StoreError) -> Given {
        let (secret, token) = (Secret.generate(.session), Secret.generate(.session))
        let session = ConsoleSession(
            identity: identity, keyHash: keyHash, tokenHash: Secret.hexHash(token),
            endsAt: wallClock() + StoredSessions.life)
        _ = try await value(
            RedisCommand("SET", key(secret), session.kept, "PX", StoredSessions.rest.wholeMilliseconds))
        return Given(secret: secret, token: token, session: session)
    }

    /// The session that a browser has, which then goes on; nil when it has ended, or its operator is none any more or
    /// has another key. A tenant's key is looked up with each request that it is used for.
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
            // A store that takes no writes now can still be looked at.
            _ = try? await value(RedisCommand("PEXPIRE", key, min(left, rest)))
        }
        return session
    }

    /// Ends a session; nothing when it has ended.
    public func end(_ secret: String) async throws(StoreError) {
        _ = try await value(RedisCommand("DEL", key(secret)))
    }

    private func key(_ secret: String) -> String { Keys.session(Secret.hexHash(secret)) }
}
