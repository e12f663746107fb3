public import Delivery

/// Where a client has the `authorization` of its requests from. All but `account` on the client's reactor.
public protocol AuthorizationSource: AnyObject {
    /// The credential's public name, for `ProviderIdentity`. From any thread.
    var account: ProviderAccount { get }
    /// What requests are sent with; nil while there is nothing fit for use.
    var usable: AuthorizationValue? { get }
    /// The newest one, fit for use or not.
    var current: AuthorizationValue? { get }
    /// Why the last one could not be made; nil when it could.
    var failure: String? { get }
    /// Seconds since `current` was issued; nil before the first.
    var age: UInt64? { get }
    /// Values of others that could not be used.
    var unusableValues: UInt64 { get }

    /// Makes sure that `usable` is fit for use, as soon as may be. Called before requests are made.
    func refresh()
    /// The provider found the value of `epoch` too old.
    func expiryReported(epoch: UInt32)
    /// The provider found that values change too often.
    func tooManyChangesReported()
    /// Has `body` called when `current` has changed, or when requests need wait for it no longer. For as long as the
    /// source lives.
    func whenSettled(_ body: @escaping (AuthorizationChange) -> Void)
    /// Another source has taken its place: what it has under way ends, and it is asked for nothing more.
    func retire()
}

/// What has become of an authorization.
public enum AuthorizationChange: Sendable {
    /// It is the one before, or there is none: requests need not wait any longer.
    case none
    /// There is a newer one of the same credential.
    case renewed
    /// It is of another credential, whose requests go over connections of their own.
    case otherCredential
}
