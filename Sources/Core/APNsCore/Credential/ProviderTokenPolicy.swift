/// Decides when a provider token is signed anew, and which one is used when it is shared with other clients.
///
/// Owns: which token (by its epoch) is current, when it was issued, whether it is known to be the shared one, and the
/// one inquiry about the shared token that may be under way. Does not own tokens' texts, the key, or which connection
/// uses which token. Times are seconds since 1970, of the clock that also gives `iat`.
///
/// Invariants:
/// 1. A token that is older than `lifetime` is never current without a renewal being asked for.
/// 2. Between two tokens that it has signed itself lie at least `minimumInterval` seconds, unless the clock was set
///    back past the first one.
/// 3. One renewal at a time.
/// 4. An answer about a token of an earlier epoch never starts a renewal.
/// 5. Shared: while the store of shared tokens answers, and has answered for as long as a token of its own must be
///    kept, no token is used but the one that is shared there.
public struct ProviderTokenPolicy: Sendable {
    /// What to do about a push that needs a token, or about a token that was called expired.
    public enum Decision: Hashable, Sendable {
        /// Use the current token.
        case useCurrent
        /// Sign a new token now, then tell `tokenSigned` or `signingFailed`. Until then use the current one if any.
        case sign
        /// Make this inquiry and tell what it came to: `signingFailed` or `answered`. When it holds pushes, tell
        /// `patienceEnded` as soon as they have waited long enough.
        case inquire(Inquiry)
        /// A renewal is under way, and no token is fit for use until then.
        case wait
    }

    /// The provider refuses tokens older than an hour.
    public static let lifetime: UInt64 = 3_600
    /// Renewal begins this long before, because clocks differ.
    public static let renewalAge: UInt64 = 3_000
    /// Up to this age a renewal waits for the store of shared tokens to come back.
    public static let lonelyRenewalAge: UInt64 = 3_300
    /// The provider answers TooManyProviderTokenUpdates to more frequent changes.
    public static let minimumInterval: UInt64 = 1_200
    /// A token issued this far in the future is an effect of clocks that differ; beyond it one of them is wrong.
    public static let clockTolerance: UInt64 = 300

    /// Counts the tokens; 0 before the first.
    public private(set) var epoch: UInt32 = 0
    /// When the current token was issued; nil before the first.
    public var issuedAt: UInt64? { current?.issuedAt }
    /// Shared tokens that could not be used.
    public internal(set) var unusableTokens: UInt64 = 0

    struct Current: Sendable {
        let issuedAt: UInt64
        /// Whether it is known to be the shared one.
        var isShared: Bool
        /// Whether the provider has called it expired, and it is not yet known whether there is another one.
        var isRefused = false
    }

    let sharesTokens: Bool
    var current: Current?
    var inquiry: OpenInquiry?
    var inquiries: UInt32 = 0
    /// When the last inquiry was made for which a token had to be signed or another one found.
    var lastRenewal: UInt64?
    var lastRefusal: UInt64?
    /// When a token of its own is next compared with the shared one.
    var comparisonDue: UInt64 = 0
    private var isSigning = false
    /// No renewal before this, whatever the age: the provider has complained.
    private var heldUntil: UInt64 = 0

    /// - Parameter sharesTokens: whether there is a place at which tokens are shared.
    public init(sharesTokens: Bool = false) {
        self.sharesTokens = sharesTokens
    }

    /// A push needs a token.
    public mutating func tokenRequested(now: UInt64) -> Decision {
        if isSigning { return .wait }
        dropOverdueInquiry(now)
        if inquiry != nil { return isUsable(now) ? .useCurrent : .wait }
        guard let current else { return renew(now) }
        if isFromFuture(current.issuedAt, now) { return renew(now) }
        if age(now, current.issuedAt) >= ProviderTokenPolicy.renewalAge, now >= heldUntil { return renew(now) }
        if sharesTokens, !current.isShared, isOver(comparisonDue, now), now >= heldUntil {
            return inquire(.current, now)
        }
        return .useCurrent
    }

    /// The renewal that was asked for with `sign` has succeeded.
    public mutating func tokenSigned(issuedAt: UInt64) {
        isSigning = false
        adopt(issuedAt, isShared: false)
    }

    /// The token that was asked for cannot be signed; the current token, if there is one, stays.
    public mutating func signingFailed() {
        isSigning = false
        inquiry = nil
        current?.isRefused = false
    }

    /// The provider answered ExpiredProviderToken to a push that was sent with the token of `epoch`.
    public mutating func expiryReported(epoch: UInt32, now: UInt64) -> Decision {
        if isSigning { return .wait }
        dropOverdueInquiry(now)
        if inquiry != nil { return isUsable(now) ? .useCurrent : .wait }
        guard epoch == self.epoch, let current else { return .useCurrent }
        let mayBeRenewed =
            isFromFuture(current.issuedAt, now) || age(now, current.issuedAt) >= ProviderTokenPolicy.minimumInterval
        guard sharesTokens else { return mayBeRenewed ? begin() : .useCurrent }
        guard isLongAgo(lastRefusal, now) else { return .useCurrent }
        lastRefusal = now
        self.current?.isRefused = true
        return inquire(mayBeRenewed ? .fresh : .nothing, refused: current.issuedAt, now)
    }

    /// The provider answered TooManyProviderTokenUpdates: the current token stays for another interval.
    public mutating func tooManyUpdatesReported(now: UInt64) {
        heldUntil = now &+ ProviderTokenPolicy.minimumInterval
        // Holding must not carry the token past its lifetime.
        if let current { heldUntil = min(heldUntil, current.issuedAt &+ ProviderTokenPolicy.lifetime) }
    }

    /// Whether pushes may be sent with the current token.
    func isUsable(_ now: UInt64) -> Bool {
        guard let current, !current.isRefused else { return false }
        return age(now, current.issuedAt) < ProviderTokenPolicy.lifetime
    }

    mutating func adopt(_ issuedAt: UInt64, isShared: Bool) {
        current = Current(issuedAt: issuedAt, isShared: isShared)
        epoch &+= 1
    }

    private mutating func renew(_ now: UInt64) -> Decision {
        guard sharesTokens else { return begin() }
        // Not long ago there was nothing else to be had, so the current one must do; without one there is no pause.
        guard current == nil || isLongAgo(lastRenewal, now) else { return .useCurrent }
        lastRenewal = now
        return inquire(.fresh, now)
    }

    private mutating func begin() -> Decision {
        isSigning = true
        return .sign
    }

    func age(_ now: UInt64, _ issuedAt: UInt64) -> UInt64 {
        now > issuedAt ? now - issuedAt : 0
    }

    func isFromFuture(_ issuedAt: UInt64, _ now: UInt64) -> Bool {
        now &+ ProviderTokenPolicy.clockTolerance < issuedAt
    }
}
