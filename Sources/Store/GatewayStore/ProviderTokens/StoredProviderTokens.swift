public import Delivery
import RedisClient
public import TimeCore

/// The provider tokens that gateways share in Redis, one for each account, sealed with its key. A token expires in
/// Redis when it is due for renewal. The first gateway that then offers a new one sets it.
public final class StoredProviderTokens: SharedProviderTokens {
    private let redis: RedisClient
    /// The id under which this gateway holds leases.
    private let leaseHolder = String(UInt64.random(in: .min ... .max))
    private let foundUnusable: @Sendable (ProviderAccount) -> Void

    /// - Parameter foundUnusable: Called on the reactor if a stored token cannot be used, at most once in twenty
    ///   minutes for each source of tokens. The usual cause is a gateway with another private key under the account's
    ///   name.
    public init(_ store: GatewayStore, foundUnusable: @escaping @Sendable (ProviderAccount) -> Void = { _ in }) {
        redis = store.redis
        self.foundUnusable = foundUnusable
    }

    /// Must run on the store's reactor, which is also the push client's.
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

    /// Must run on the store's reactor.
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

    /// Must run on the store's reactor. Ignores errors, because the lease expires.
    public func returnLease(for account: ProviderAccount) {
        let command = RedisCommand(
            script: Scripts.returnTokenLease, keys: [Keys.providerTokenLease(account)], arguments: [leaseHolder])
        redis.call(command) { _ in }
    }

    /// Calls `foundUnusable` of `init`. Must run on the store's reactor.
    public func unusableTokenFound(for account: ProviderAccount) {
        foundUnusable(account)
    }

    /// Parses a reply. A malformed token becomes a token that does not open.
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
