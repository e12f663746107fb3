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
        let call = Scripts.exchangeProviderToken(
            providerToken: Keys.providerToken(account), issued: offer.map { String($0.issuedAt) } ?? "",
            token: offer?.sealed ?? [], lifetime: offer.map { String($0.usableFor &* 1000) } ?? "",
            refused: refused.map { String($0) } ?? "", interval: minimumInterval)
        redis.send(call.command) { result in
            completion(StoredProviderTokens.reply(call.result(result)))
        }
    }

    /// Must run on the store's reactor.
    public func takeLease(
        for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void
    ) {
        let call = Lease.take(Keys.providerTokenLease(account), as: leaseHolder, for: time)
        redis.send(call.command) { result in
            switch call.result(result) {
            case .success(let isTaken): completion(isTaken ? .taken : .another)
            case .failure: completion(.unavailable)
            }
        }
    }

    /// Must run on the store's reactor. Ignores errors, because the lease expires.
    public func returnLease(for account: ProviderAccount) {
        redis.send(Lease.giveBack(Keys.providerTokenLease(account), as: leaseHolder).command) { _ in }
    }

    /// Calls `foundUnusable` of `init`. Must run on the store's reactor.
    public func unusableTokenFound(for account: ProviderAccount) {
        foundUnusable(account)
    }

    /// A malformed token becomes a token that does not open.
    private static func reply(
        _ result: Result<Scripts.ExchangeProviderTokenReply, StoreError>
    ) -> SharedProviderTokenReply {
        switch result {
        case .success(.taken): .taken
        case .success(.nothing): .nothing
        case .success(.shared(let issued, let token)):
            .shared(SharedProviderToken(issuedAt: UInt64(issued) ?? 0, sealed: token, usableFor: 0))
        case .failure: .unavailable
        }
    }
}
