/// Decides when a provider token is signed, and which token is used when clients share one.
///
/// Owns: the epoch, issue time and sharing state of the current token, and the open inquiry about the shared token.
/// Does not own the texts of tokens, the key, or the assignment of tokens to connections. Times are seconds since 1970,
/// of the clock that also gives `iat`.
///
/// Invariants:
/// 1. A token older than `lifetime` is never current without a requested renewal.
/// 2. At least `minimumInterval` seconds separate two self-signed tokens, unless the clock was set back past the first.
/// 3. One renewal at a time.
/// 4. An answer about a token of an earlier epoch never starts a renewal.
/// 5. Shared: only the shared token is used. An exception is a self-signed token that is still within its interval, or
///    a time without answers from the store.
public struct ProviderTokenPolicy: Sendable {
    /// The action for a push that needs a token, or for a token that was called expired.
    public enum Decision: Hashable, Sendable {
        /// Use the current token.
        case useCurrent
        /// Sign a token now, then call `tokenSigned` or `signingFailed`. Until then use the current token, if any.
        case sign
        /// Make this inquiry, then call `answered` or `signingFailed`. If it holds pushes, call `patienceEnded` when
        /// they have waited long enough.
        case inquire(Inquiry)
        /// A renewal is in progress, and no token is usable until it ends.
        case wait
    }

    /// The provider refuses tokens older than an hour.
    public static let lifetime: UInt64 = 3_600
    /// The age at which renewal begins, well before `lifetime` because clocks differ.
    public static let renewalAge: UInt64 = 3_000
    /// The age up to which a renewal waits for an unavailable store of shared tokens.
    public static let lonelyRenewalAge: UInt64 = 3_300
    /// The provider answers TooManyProviderTokenUpdates to more frequent changes.
    public static let minimumInterval: UInt64 = 1_200
    /// The tolerated clock difference. A token issued further in the future means that a clock is wrong.
    public static let clockTolerance: UInt64 = 300

    /// The number of tokens so far; 0 before the first.
    public private(set) var epoch: UInt32 = 0
    /// The issue time of the current token; nil before the first.
    public var issuedAt: UInt64? { current?.issuedAt }
    /// The number of shared tokens that were unusable.
    public internal(set) var unusableTokens: UInt64 = 0

    struct Current: Sendable {
        let issuedAt: UInt64
        /// True if it is confirmed as the shared token.
        var isShared: Bool
        /// True if the provider called it expired and the inquiry about a replacement is open.
        var isRefused = false
    }

    let sharesTokens: Bool
    var current: Current?
    var inquiry: OpenInquiry?
    var inquiries: UInt32 = 0
    /// The time of the last inquiry for a renewal.
    var lastRenewal: UInt64?
    var lastRefusal: UInt64?
    /// The time of the next comparison of a self-signed token with the shared one.
    var comparisonDue: UInt64 = 0
    private var isSigning = false
    /// The end of a renewal pause that an answer of the provider started.
    private var heldUntil: UInt64 = 0

    /// - Parameter sharesTokens: True if a store of shared tokens exists.
    public init(sharesTokens: Bool = false) {
        self.sharesTokens = sharesTokens
    }

    /// Returns the action for a push that needs a token.
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

    /// Records that the token for `sign` was signed.
    public mutating func tokenSigned(issuedAt: UInt64) {
        isSigning = false
        adopt(issuedAt, isShared: false)
    }

    /// Records that signing failed. The current token, if any, stays.
    public mutating func signingFailed() {
        isSigning = false
        inquiry = nil
        current?.isRefused = false
    }

    /// Records the answer ExpiredProviderToken to a push that was sent with the token of `epoch`.
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

    /// Records the answer TooManyProviderTokenUpdates: the current token stays for another interval.
    public mutating func tooManyUpdatesReported(now: UInt64) {
        heldUntil = now &+ ProviderTokenPolicy.minimumInterval
        // The hold must not extend past the token's lifetime.
        if let current { heldUntil = min(heldUntil, current.issuedAt &+ ProviderTokenPolicy.lifetime) }
    }

    /// True if the current token may be used for pushes.
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
        // A recent inquiry found no other token: keep the current one. Without a current token there is no pause.
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
