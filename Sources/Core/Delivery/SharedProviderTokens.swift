public import TimeCore

/// One place at which all clients with the same credential keep the one provider token that they use, so that it is
/// renewed once for all of them.
///
/// What is kept is sealed by the clients: whoever keeps it cannot read it, and cannot make another one.
public protocol SharedProviderTokens: AnyObject, Sendable {
    /// Offers a token, and learns which one is shared: in one atomic step, so that of any number of clients that find
    /// no token one sets its own and the others get that.
    /// - Parameters:
    ///   - offer: becomes the shared token when there is none; nil to ask only.
    ///   - refused: when the token was issued that the provider has called expired. A shared one that was issued then
    ///     gives way to the offer, unless another one has in the last `minimumInterval` seconds.
    ///   - completion: called exactly once, within seconds, on the thread of the caller's reactor; it may be called
    ///     before this returns.
    func exchange(
        _ offer: SharedProviderToken?, refused: UInt64?, minimumInterval: UInt64, for account: ProviderAccount,
        completion: @escaping (SharedProviderTokenReply) -> Void)

    /// Takes the lease on getting the next token, for those that a provider gives out: it is given to one at a time,
    /// and runs out by itself.
    /// - Parameter completion: as that of `exchange`.
    func takeLease(for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void)

    /// Gives the lease back that was taken last, if it has not run out: others may try.
    func returnLease(for account: ProviderAccount)

    /// What is kept under this account's name cannot be used: it was sealed with another private key, or damaged, or is
    /// of an age that it cannot have. For the operator to hear of; the client goes on with a token of its own.
    func unusableTokenFound(for account: ProviderAccount)
}

/// A provider token on its way to or from where it is shared.
public struct SharedProviderToken: Hashable, Sendable {
    /// Seconds since 1970. Part of what is sealed, too.
    public let issuedAt: UInt64
    /// Encrypted and authenticated.
    public let sealed: [UInt8]
    /// For how many seconds others may begin to use it, from now on. Of no meaning in a reply.
    public let usableFor: UInt64

    public init(issuedAt: UInt64, sealed: [UInt8], usableFor: UInt64) {
        self.issuedAt = issuedAt
        self.sealed = sealed
        self.usableFor = usableFor
    }
}

/// What an exchange came to.
public enum SharedProviderTokenReply: Hashable, Sendable {
    /// The offer is the shared token now.
    case taken
    /// This one is shared.
    case shared(SharedProviderToken)
    /// None is shared, and none was offered.
    case nothing
    /// Nobody can say; the offer may have been taken.
    case unavailable
}

/// Who may get the next token.
public enum TokenLeaseReply: Hashable, Sendable {
    /// Whoever asked.
    case taken
    /// Somebody else, for now.
    case another
    /// Nobody can say; the lease may have been taken.
    case unavailable
}
