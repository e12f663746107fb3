public import TimeCore

/// The place at which all clients with a credential share one provider token, so that it is renewed only once.
///
/// The clients seal the tokens. The store of the tokens can neither read nor make them.
public protocol SharedProviderTokens: AnyObject, Sendable {
    /// Offers a token and returns the shared one, in one atomic step. If several clients find no token, one sets its
    /// own and the others get that.
    /// - Parameters:
    ///   - offer: Becomes the shared token if there is none; nil only to read.
    ///   - refused: The issue time of a token that the provider refused as expired. The offer replaces a shared token
    ///     of that time, but at most once in `minimumInterval` seconds.
    ///   - completion: Called exactly once, within seconds, on the thread of the caller's reactor. It may be called
    ///     before this returns.
    func exchange(
        _ offer: SharedProviderToken?, refused: UInt64?, minimumInterval: UInt64, for account: ProviderAccount,
        completion: @escaping (SharedProviderTokenReply) -> Void)

    /// Acquires the lease on getting the next token from a provider that issues tokens. One client holds it at a time,
    /// and it expires.
    /// - Parameter completion: Called exactly once, as in `exchange`.
    func takeLease(for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void)

    /// Releases the lease that was acquired last, if it has not expired.
    func returnLease(for account: ProviderAccount)

    /// Reports that the stored token of an account cannot be used, for the operator's attention. It was sealed with
    /// another private key, is damaged, or has an impossible age. The client continues with its own token.
    func unusableTokenFound(for account: ProviderAccount)
}

/// A provider token as clients share it.
public struct SharedProviderToken: Hashable, Sendable {
    /// The issue time in seconds since 1970. It is also part of the sealed content.
    public let issuedAt: UInt64
    /// The encrypted and authenticated token.
    public let sealed: [UInt8]
    /// The seconds from now in which others may begin to use it. Not used in replies.
    public let usableFor: UInt64

    public init(issuedAt: UInt64, sealed: [UInt8], usableFor: UInt64) {
        self.issuedAt = issuedAt
        self.sealed = sealed
        self.usableFor = usableFor
    }
}

/// The result of an exchange.
public enum SharedProviderTokenReply: Hashable, Sendable {
    /// The offer is now the shared token.
    case taken
    /// Another token is shared.
    case shared(SharedProviderToken)
    /// No token is shared, and none was offered.
    case nothing
    /// The state is not known. The offer may have been accepted.
    case unavailable
}

/// The result of a request for the lease.
public enum TokenLeaseReply: Hashable, Sendable {
    /// The caller holds the lease.
    case taken
    /// Another client holds the lease.
    case another
    /// The state is not known. The lease may have been acquired.
    case unavailable
}
