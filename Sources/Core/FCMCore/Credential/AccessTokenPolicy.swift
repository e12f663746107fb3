public import TimeCore

/// Decides when the next access token is fetched, who of the gateways with one service account fetches it, and until
/// when one is used.
///
/// Owns: which token (by its epoch) is current, from when on it is renewed and until when it is good, and the one
/// request that may be under way. Does not own tokens' texts, the key, or which connection uses which token. It knows
/// lengths of time alone, so no wall clock can mislead it; `issuedAt` is a name by which gateways tell the tokens that
/// they share apart.
///
/// A renewal is a chain of requests: the shared token is looked up; when there is none, or none better than the current
/// one, the lease on fetching is taken; the token is fetched, is used at once, and is offered to the others. The
/// current token goes on serving meanwhile. Each answer brings the next request.
///
/// Invariants:
/// 1. One request at a time.
/// 2. A token is fetched under the lease only, so by one gateway at a time, as long as the lease is kept by its time.
/// 3. A token that was called expired is not used again, and neither is one that was issued before it.
/// 4. A token is renewed ahead, and not used beyond its time.
/// 5. A token younger than `leastAge` is not renewed for being called expired.
/// 6. After a fetch that failed the next one comes no sooner than after a second, and no later than after a minute.
public struct AccessTokenPolicy: Sendable {
    /// Google's tokens live for an hour; one that is said to live longer is renewed as if it did not.
    public static let longestLifetime = TimeInterval.seconds(3_600)
    /// A token of less is as good as none.
    public static let shortestLifetime = TimeInterval.seconds(60)
    /// A token that is called expired while it is younger is not at fault.
    public static let leastAge = TimeInterval.seconds(60)
    /// For the store, in seconds: a shared token that took another one's place so lately gives way to none. So much
    /// less than `leastAge` as a fetch and its offer may take, so that whoever may renew a token may replace it.
    public static let replacementInterval: UInt64 = 45
    /// Renewal begins so long before the end, and by chance up to `longestJitter` earlier: so one gateway comes first.
    static let lead = TimeInterval.seconds(600)
    static let longestJitter = TimeInterval.seconds(60)
    /// When the shared token is looked up again while another gateway fetches it, and while the store does not answer.
    static let leasePause = TimeInterval.milliseconds(250)
    static let storePause = TimeInterval.seconds(1)
    /// Halved by chance: from one second to sixty.
    static let backoff = Backoff(first: .seconds(2), longest: .seconds(60))

    struct Current: Sendable {
        let issuedAt: UInt64
        /// From when on it may be called expired.
        let matureAt: MonotonicTime
        let renewalDue: MonotonicTime
        let expiresAt: MonotonicTime
        var isRefused = false
    }

    /// Counts the tokens that were current; 0 before the first.
    public internal(set) var epoch: UInt32 = 0
    /// Whether the last fetch was refused, and no token was found since: the service account's key is not taken any
    /// more.
    public internal(set) var isCredentialRefused = false
    let sharesTokens: Bool
    var current: Current?
    var open: (request: Request, begunAt: MonotonicTime)?
    var requests: UInt32 = 0
    /// Fetches that failed since a token was found.
    var failures = 0
    /// No request before this.
    var notBefore = MonotonicTime(nanoseconds: 0)
    /// When the newest token was issued that was called expired.
    var refused: UInt64?
    /// When the shared token was issued, as it was last looked up; nil when there was none.
    var shared: UInt64?

    /// - Parameter sharesTokens: whether there is a store in which tokens are shared. Without one they are fetched
    ///   without asking anybody.
    public init(sharesTokens: Bool) {
        self.sharesTokens = sharesTokens
    }

    /// When the current token was issued, in seconds since 1970; nil before the first.
    public var issuedAt: UInt64? { current?.issuedAt }

    /// Whether messages may be sent with the current token.
    public func isUsable(now: MonotonicTime) -> Bool {
        guard let current, !current.isRefused else { return false }
        return now < current.expiresAt
    }

    /// When `tokenRequested` has something to do next, if nothing else happens. Of use as long as anybody needs a
    /// token.
    public var nextLook: MonotonicTime {
        if let open { return open.begunAt + open.request.limit }
        guard let current, !current.isRefused else { return notBefore }
        return max(notBefore, current.renewalDue)
    }

    /// Somebody needs a token, or the time of `nextLook` has come.
    /// - Returns: a request to make; nil when there is none to make now.
    public mutating func tokenRequested(now: MonotonicTime) -> Request? {
        giveUpOverdue(now)
        guard open == nil, now >= notBefore, isRenewalDue(now) else { return nil }
        return begin(sharesTokens ? .lookUp : .fetch, now)
    }

    /// FCM answered that the token of `epoch` is not valid. Nothing becomes of it when that is not the current one, is
    /// called so already, or is younger than `leastAge`.
    /// - Returns: a request to make; nil when there is none to make now.
    public mutating func expiryReported(epoch: UInt32, now: MonotonicTime) -> Request? {
        guard epoch == self.epoch, let current, !current.isRefused, now >= current.matureAt else { return nil }
        self.current?.isRefused = true
        refused = max(refused ?? 0, current.issuedAt)
        return tokenRequested(now: now)
    }

    func isRenewalDue(_ now: MonotonicTime) -> Bool {
        guard let current, !current.isRefused else { return true }
        return now >= current.renewalDue
    }

    mutating func begin(_ kind: Request.Kind, _ now: MonotonicTime) -> Request {
        requests &+= 1
        let request = Request(number: requests, kind: kind)
        open = (request, now)
        return request
    }

    /// A request that nobody answers is given up, so that it cannot keep the next one back for ever.
    private mutating func giveUpOverdue(_ now: MonotonicTime) {
        guard let open, now >= open.begunAt + open.request.limit else { return }
        self.open = nil
        if open.request.kind == .fetch { failures += 1 }
        let pause = open.request.kind == .fetch ? Self.backoff.pause(after: failures) : Self.storePause
        notBefore = now + pause
    }
}
