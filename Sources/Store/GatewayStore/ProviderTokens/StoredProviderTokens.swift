public import Delivery
import RedisClient
public import TimeCore

/// The provider tokens that gateways share, in Redis: one for each account, sealed by those who have its key. It is
/// gone there when it must be renewed, so of all gateways that ask from then on one sets the next.
public final class StoredProviderTokens: SharedProviderTokens {
    private let redis: RedisClient
    /// Whose leases these are.
    private let leaseHolder = String(UInt64.random(in: .min ... .max))
    private let foundUnusable: @Sendable (ProviderAccount) -> Void

    /// - Parameter foundUnusable: called on the reactor, at most once in twenty minutes for each source of tokens, when
    ///   what is stored under an account's name cannot be used: most likely somebody has another private key under that
    ///   name.
    public init(_ store: GatewayStore, foundUnusable: @escaping @Sendable (ProviderAccount) -> Void = { _ in }) {
        redis = store.redis
        self.foundUnusable = foundUnusable
    }

    /// On the store's reactor, which must be the push client's.
    public func exchange(
        _ offer: SharedProviderToken?, refused: UInt64?, minimumInterval: UInt64, for account: ProviderAccount,
        completion: @escaping (SharedProviderTokenReply) -> Void
    ) {
        let command = RedisCommand(
            script: Scripts.exchangeProviderToken, keys: [Keys.providerToken(account)],
            arguments: [
                offer.map { String($0.issuedAt) } ?? "", offer?.sealed ?? [],
                offer.map { String($0.usableFor &* 1000) } ?? "",
                refused.map { String($0) } ?? "", String(minimumInterval),
            ])
        redis.call(command) { result in
            completion(StoredProviderTokens.reply(result))
        }
    }

    /// On the store's reactor.
    public func takeLease(
        for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void
    ) {
        let milliseconds = Int(clamping: time.millisecondsRoundedUp)
        let command = RedisCommand("SET", Keys.providerTokenLease(account), leaseHolder, "NX", "PX", milliseconds)
        redis.call(command) { result in
            switch result {
            case .success(let value): completion(value.isNull ? .another : .taken)
            case .failure: completion(.unavailable)
            }
        }
    }

    /// On the store's reactor. When it is lost on its way, the lease runs out.
    public func returnLease(for account: ProviderAccount) {
        let command = RedisCommand(
            script: Scripts.returnTokenLease, keys: [Keys.providerTokenLease(account)], arguments: [leaseHolder])
        redis.call(command) { _ in }
    }

    /// Passes it on to whom `init` was given. On the store's reactor.
    public func unusableTokenFound(for account: ProviderAccount) {
        foundUnusable(account)
    }

    /// A reply that nobody could have written but a hand is a token that does not open.
    private static func reply(_ result: Result<RedisValue, RedisError>) -> SharedProviderTokenReply {
        guard case .success(let value) = result, let parts = value.array else { return .unavailable }
        switch parts.first?.int {
        case 1: return .taken
        case 2: return .nothing
        case 0 where parts.count == 3:
            let issuedAt = parts[1].string.flatMap { UInt64($0) } ?? 0
            return .shared(SharedProviderToken(issuedAt: issuedAt, sealed: parts[2].bytes ?? [], usableFor: 0))
        default: return .unavailable
        }
    }
}
