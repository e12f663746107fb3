public import APNsCore
public import GatewayStore

/// The provider tokens that gateways share, in Redis: one for each key, sealed by those who have it.
public final class StoredProviderTokens: SharedProviderTokens {
    private let store: GatewayStore
    private let foundUnusable: @Sendable (ProviderKeyName) -> Void

    /// - Parameter foundUnusable: called on the reactor, at most once in twenty minutes for each source of tokens, when what
    ///   is stored under a key's name cannot be used: most likely somebody has another private key under that name.
    public init(_ store: GatewayStore, foundUnusable: @escaping @Sendable (ProviderKeyName) -> Void = { _ in }) {
        self.store = store
        self.foundUnusable = foundUnusable
    }

    /// On the store's reactor, which must be the push client's.
    public func exchange(
        _ offer: SharedProviderToken?, refused: UInt64?, for key: ProviderKeyName,
        completion: @escaping (SharedProviderTokenReply) -> Void
    ) {
        let sealed = offer.map {
            SealedProviderToken(issuedAt: $0.issuedAt, sealed: $0.sealed, usableFor: $0.usableFor)
        }
        store.exchangeProviderToken(
            sealed, refused: refused, minimumInterval: ProviderTokenPolicy.minimumInterval,
            of: "\(key.teamIdentifier):\(key.keyIdentifier)"
        ) { result in
            switch result {
            case .taken: completion(.taken)
            case .nothing: completion(.nothing)
            case .unavailable: completion(.unavailable)
            case .shared(let token):
                completion(
                    .shared(SharedProviderToken(issuedAt: token.issuedAt, sealed: token.sealed, usableFor: 0)))
            }
        }
    }

    public func unusableTokenFound(for key: ProviderKeyName) {
        foundUnusable(key)
    }
}
