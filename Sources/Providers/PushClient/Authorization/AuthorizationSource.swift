public import Delivery

/// The source of a client's `authorization` field. Confined to the client's reactor, except `account`.
public protocol AuthorizationSource: AnyObject {
    /// The credential's public name, for `ProviderIdentity`. From any thread.
    var account: ProviderAccount { get }
    /// The value for requests; nil if none is usable.
    var usable: AuthorizationValue? { get }
    /// The newest value, usable or not.
    var current: AuthorizationValue? { get }
    /// The error of the last attempt; nil after a success.
    var failure: String? { get }
    /// Seconds since `current` was issued; nil before the first.
    var age: UInt64? { get }
    /// The number of shared values that were unusable.
    var unusableValues: UInt64 { get }

    /// Makes `usable` valid as soon as possible. Called before requests are created.
    func refresh()
    /// Records that the provider found the value of `epoch` too old.
    func expiryReported(epoch: UInt32)
    /// Records that the provider found the changes of values too frequent.
    func tooManyChangesReported()
    /// Adds a callback for changes of `current`, and for the end of a wait without a change. It stays for the lifetime
    /// of the source.
    func whenSettled(_ body: @escaping (AuthorizationChange) -> Void)
    /// Ends requests in progress, because another source has replaced this one. No calls follow.
    func retire()
}

/// A change of an authorization.
public enum AuthorizationChange: Sendable {
    /// No change: requests need not wait any longer.
    case none
    /// A newer value of the same credential.
    case renewed
    /// A value of another credential, whose requests need their own connections.
    case otherCredential
}
