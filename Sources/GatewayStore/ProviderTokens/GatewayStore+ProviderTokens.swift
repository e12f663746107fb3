import RedisClient

/// A provider token as gateways share it: sealed by those who have its key, so that the store cannot read it.
public struct SealedProviderToken: Equatable, Sendable {
    /// Seconds since 1970.
    public let issuedAt: UInt64
    public let sealed: [UInt8]
    /// For how many seconds others may begin to use it. Of no meaning in a reply.
    public let usableFor: UInt64

    public init(issuedAt: UInt64, sealed: [UInt8], usableFor: UInt64 = 0) {
        self.issuedAt = issuedAt
        self.sealed = sealed
        self.usableFor = usableFor
    }
}

/// What an exchange came to.
public enum ProviderTokenExchange: Equatable, Sendable {
    /// The offer is the shared token now.
    case taken
    /// This one is shared.
    case shared(SealedProviderToken)
    /// None is shared, and none was offered.
    case nothing
    /// Nobody can say; the offer may have been taken.
    case unavailable
}

extension GatewayStore {
    /// Offers a provider token, and learns which one is shared, in one atomic step. It is gone here when it must be renewed,
    /// so of all gateways that ask from then on one sets the next.
    /// - Parameters:
    ///   - account: whose token it is: the credential's public name.
    ///   - refused: when the token was issued that the provider has called expired: a shared one that was issued then gives
    ///     way to the offer.
    ///   - minimumInterval: seconds in which it does so once.
    ///   - completion: called once, on the store's reactor.
    public func exchangeProviderToken(
        _ offer: SealedProviderToken?, refused: UInt64?, minimumInterval: UInt64, of account: String,
        completion: @escaping (ProviderTokenExchange) -> Void
    ) {
        let command = RedisCommand(
            script: Scripts.exchangeProviderToken, keys: [Keys.providerToken(account)],
            arguments: [
                offer.map { String($0.issuedAt) } ?? "", offer?.sealed ?? [],
                offer.map { String($0.usableFor &* 1000) } ?? "",
                refused.map { String($0) } ?? "", String(minimumInterval),
            ])
        redis.call(command) { completion(ProviderTokenExchange($0)) }
    }
}

extension ProviderTokenExchange {
    /// A reply that nobody could have written but a hand is a token that does not open.
    fileprivate init(_ result: Result<RedisValue, RedisError>) {
        guard case .success(let value) = result, let parts = value.array else {
            self = .unavailable
            return
        }
        switch parts.first?.int {
        case 1: self = .taken
        case 2: self = .nothing
        case 0 where parts.count == 3:
            let issuedAt = parts[1].string.flatMap { UInt64($0) } ?? 0
            self = .shared(SealedProviderToken(issuedAt: issuedAt, sealed: parts[2].bytes ?? []))
        default: self = .unavailable
        }
    }
}
