public import TimeCore

/// Decides when the next access token is fetched, which gateway with the service account fetches it, and how long it is
/// used.
///
/// Owns: the epoch, renewal time and expiry of the current token, and the one open request. Does not own the texts of
/// tokens, the key, or the assignment of tokens to connections. It uses durations only, so wall clocks cannot mislead
/// it. `issuedAt` serves only as an identifier of shared tokens.
///
/// A renewal is a chain of requests. It reads the shared token and takes the fetch lease if no better token is shared.
/// Then it fetches a token, uses it immediately, and offers it to the other gateways. The current token remains in use
/// meanwhile. Each answer yields the next request.
///
/// Invariants:
/// 1. One request at a time.
/// 2. A shared token is fetched only under the lease, so by one gateway at a time while leases are kept.
/// 3. A token that was called expired is never used again, nor is one that was issued before it.
/// 4. A token is renewed ahead of its end and never used after it.
/// 5. A token younger than `leastAge` is not renewed for being called expired.
/// 6. After a failed fetch the next one follows in one to sixty seconds.
public struct AccessTokenPolicy: Sendable {
    /// The lifetime of Google's tokens, an hour. A longer one counts as an hour.
    public static let longestLifetime = TimeInterval.seconds(3_600)
    /// A shorter lifetime counts as a failure.
    public static let shortestLifetime = TimeInterval.seconds(60)
    /// A younger token that is called expired is not the cause.
    public static let leastAge = TimeInterval.seconds(60)
    /// For the store, in seconds: a shared token that replaced another one less than this ago is not replaced. The
    /// difference to `leastAge` covers a fetch and its offer, so a gateway that may renew a token may also replace it.
    public static let replacementInterval: UInt64 = 45
    /// The lead of a renewal before the end. A random addition up to `longestJitter` makes one gateway the first.
    static let lead = TimeInterval.seconds(600)
    static let longestJitter = TimeInterval.seconds(60)
    /// The pauses before the next look-up while another gateway fetches, and while the store is unavailable.
    static let leasePause = TimeInterval.milliseconds(250)
    static let storePause = TimeInterval.seconds(1)
    /// Jitter halves a pause at most, so pauses last one to sixty seconds.
    static let backoff = Backoff(first: .seconds(2), longest: .seconds(60))

    struct Current: Sendable {
        let issuedAt: UInt64
        /// The time from which it may be called expired.
        let matureAt: MonotonicTime
        let renewalDue: MonotonicTime
        let expiresAt: MonotonicTime
        var isRefused = false
    }

    /// The number of current tokens so far; 0 before the first.
    public internal(set) var epoch: UInt32 = 0
    /// True if the last fetch was refused and no token was found since. The service account's key is then invalid.
    public internal(set) var isCredentialRefused = false
    let sharesTokens: Bool
    var current: Current?
    var open: (request: Request, begunAt: MonotonicTime)?
    var requests: UInt32 = 0
    /// The number of failed fetches since a token was found.
    var failures = 0
    /// The earliest time of the next request.
    var notBefore = MonotonicTime(nanoseconds: 0)
    /// The issue time of the newest token that was called expired.
    var refused: UInt64?
    /// The issue time of the shared token at the last look-up; nil if there was none.
    var shared: UInt64?

    /// - Parameter sharesTokens: True if a store shares the tokens. Without one, tokens are fetched without a lease.
    public init(sharesTokens: Bool) {
        self.sharesTokens = sharesTokens
    }

    /// The issue time of the current token, in seconds since 1970; nil before the first.
    public var issuedAt: UInt64? { current?.issuedAt }

    /// True if the current token may be used for messages.
    public func isUsable(now: MonotonicTime) -> Bool {
        guard let current, !current.isRefused else { return false }
        return now < current.expiresAt
    }

    /// The time of the next call of `tokenRequested` if no other event occurs. It matters only while tokens are needed.
    public var nextLook: MonotonicTime {
        if let open { return open.begunAt + open.request.limit }
        guard let current, !current.isRefused else { return notBefore }
        return max(notBefore, current.renewalDue)
    }

    /// Requests a token, also at the time of `nextLook`.
    /// - Returns: The request to make now, if any.
    public mutating func tokenRequested(now: MonotonicTime) -> Request? {
        giveUpOverdue(now)
        guard open == nil, now >= notBefore, isRenewalDue(now) else { return nil }
        return begin(sharesTokens ? .lookUp : .fetch, now)
    }

    /// Records FCM's answer that the token of `epoch` is invalid. The answer is ignored if the token is not current, is
    /// already called expired, or is younger than `leastAge`.
    /// - Returns: The request to make now, if any.
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

    /// Abandons a request without an answer, so that it cannot block the next one forever.
    private mutating func giveUpOverdue(_ now: MonotonicTime) {
        guard let open, now >= open.begunAt + open.request.limit else { return }
        self.open = nil
        if open.request.kind == .fetch { failures += 1 }
        let pause = open.request.kind == .fetch ? Self.backoff.pause(after: failures) : Self.storePause
        notBefore = now + pause
    }
}
