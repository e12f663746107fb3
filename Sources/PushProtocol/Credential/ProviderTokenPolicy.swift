/// Decides when a provider token is signed anew.
///
/// Owns: which token (by its epoch) is current, and when it was issued. Does not own the token's text, the key, or
/// which connection uses which token. Times are seconds since 1970, of the clock that also gives `iat`.
///
/// Invariants:
/// 1. A token that is older than `lifetime` is never current without a renewal being asked for.
/// 2. Between two tokens lie at least `minimumInterval` seconds, unless the clock was set back past the first one.
/// 3. One renewal at a time.
/// 4. An answer about a token of an earlier epoch never starts a renewal.
public struct ProviderTokenPolicy: Sendable {
    public enum Decision: Hashable, Sendable {
        /// Use the current token.
        case useCurrent
        /// Sign a new token now, then tell `tokenSigned` or `signingFailed`. Until then use the current one if any.
        case sign
        /// A renewal is under way. Use the current token if there is one.
        case wait
    }

    /// The provider refuses tokens older than an hour.
    public static let lifetime: UInt64 = 3_600
    /// Renewal begins this long before, because clocks differ.
    public static let renewalAge: UInt64 = 3_000
    /// The provider answers TooManyProviderTokenUpdates to more frequent changes.
    public static let minimumInterval: UInt64 = 1_200
    /// A clock set back by more than this makes the token look issued in the future.
    static let clockTolerance: UInt64 = 60

    /// Counts the tokens; 0 before the first.
    public private(set) var epoch: UInt32 = 0
    /// When the current token was issued; nil before the first.
    public private(set) var issuedAt: UInt64?
    private var isSigning = false
    /// No renewal before this, whatever the age: the provider has complained.
    private var heldUntil: UInt64 = 0

    public init() {}

    /// A push needs a token.
    public mutating func tokenRequested(now: UInt64) -> Decision {
        if isSigning { return .wait }
        guard let issuedAt else { return begin() }
        if now &+ ProviderTokenPolicy.clockTolerance < issuedAt { return begin() }
        guard age(now, issuedAt) >= ProviderTokenPolicy.renewalAge, now >= heldUntil else { return .useCurrent }
        return begin()
    }

    /// The renewal that was asked for has succeeded.
    public mutating func tokenSigned(issuedAt: UInt64) {
        isSigning = false
        self.issuedAt = issuedAt
        epoch &+= 1
    }

    /// The renewal that was asked for has failed; the current token, if there is one, stays.
    public mutating func signingFailed() {
        isSigning = false
    }

    /// The provider answered ExpiredProviderToken to a push that was sent with the token of `epoch`.
    public mutating func expiryReported(epoch: UInt32, now: UInt64) -> Decision {
        if isSigning { return .wait }
        guard epoch == self.epoch, let issuedAt else { return .useCurrent }
        let steppedBack = now &+ ProviderTokenPolicy.clockTolerance < issuedAt
        guard steppedBack || age(now, issuedAt) >= ProviderTokenPolicy.minimumInterval else { return .useCurrent }
        return begin()
    }

    /// The provider answered TooManyProviderTokenUpdates: the current token stays for another interval.
    public mutating func tooManyUpdatesReported(now: UInt64) {
        heldUntil = now &+ ProviderTokenPolicy.minimumInterval
        // Holding must not carry the token past its lifetime.
        if let issuedAt { heldUntil = min(heldUntil, issuedAt &+ ProviderTokenPolicy.lifetime) }
    }

    private mutating func begin() -> Decision {
        isSigning = true
        return .sign
    }

    private func age(_ now: UInt64, _ issuedAt: UInt64) -> UInt64 {
        now > issuedAt ? now - issuedAt : 0
    }
}
