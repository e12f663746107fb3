import APNsCore
public import Delivery
public import PushClient
public import Reactor
import TimeCore

/// The provider token of all connections of a client: a self-signed one, or one that all clients with this key share.
/// Confined to the client's reactor.
public final class ProviderTokenSource: AuthorizationSource {
    /// The token for requests. Also nil after the provider called the token expired, while the next one is requested.
    public var usable: AuthorizationValue? { isHolding ? nil : current }
    /// The newest token, as `bearer TOKEN`; nil before the first. It may be too old, or called expired by the provider.
    public private(set) var current: AuthorizationValue?
    /// The token in `current`.
    private var currentText: String?
    /// The error of the last signature; nil after a success.
    public private(set) var failure: String?
    private var settled: [(AuthorizationChange) -> Void] = []
    /// The number of shared tokens that were sealed with another key, damaged, or of an impossible age.
    public var unusableValues: UInt64 { policy.unusableTokens }
    /// Team and key identifier. From any thread.
    public var account: ProviderAccount { signer.name.account }
    /// The age of the token in seconds by the wall clock; 0 if it was issued in the future.
    public var age: UInt64? {
        guard current != nil, let issuedAt = policy.issuedAt else { return nil }
        let now = wallClock()
        return now > issuedAt ? now - issuedAt : 0
    }

    private var policy: ProviderTokenPolicy
    private let signer: ProviderTokenSigner
    private let shared: (any SharedProviderTokens)?
    private let reactor: Reactor
    private let wallClock: @Sendable () -> UInt64
    private var isHolding = false
    /// The token that was signed for the open inquiry.
    private var candidate: String?
    private var patience: ReactorTimer?

    /// The maximum time for which pushes without a token wait for the shared one.
    static let longestWait = TimeInterval.milliseconds(250)

    /// Reads and checks the key file.
    /// - Parameters:
    ///   - shared: The store that shares the token with other clients; nil for a private token.
    ///   - wallClock: Seconds since 1970.
    public init(
        _ credential: ProviderCredential, shared: (any SharedProviderTokens)?, reactor: Reactor,
        wallClock: @escaping @Sendable () -> UInt64
    ) throws(PushConfigurationError) {
        signer = try ProviderTokenSigner(credential)
        policy = ProviderTokenPolicy(sharesTokens: shared != nil)
        self.shared = shared
        self.reactor = reactor
        self.wallClock = wallClock
    }

    /// Calls `body` with `renewed` for each new token, and with `none` after an inquiry that held pushes but yielded no
    /// token.
    public func whenSettled(_ body: @escaping (AuthorizationChange) -> Void) {
        settled.append(body)
    }

    /// Renews the token if due, and regularly compares a self-signed one with the shared one. A signature is immediate;
    /// a shared token arrives later, on the reactor.
    public func refresh() {
        let now = wallClock()
        carryOut(policy.tokenRequested(now: now), now)
    }

    /// Requests another token than that of `epoch`: a new one if that is at least 20 minutes old, otherwise a shared
    /// one. Has no effect if the token has changed since.
    public func expiryReported(epoch: UInt32) {
        let now = wallClock()
        carryOut(policy.expiryReported(epoch: epoch, now: now), now)
    }

    /// Keeps the current token for 20 minutes, but not beyond its lifetime of an hour.
    public func tooManyChangesReported() {
        policy.tooManyUpdatesReported(now: wallClock())
    }

    /// Stops waiting for the open inquiry, whose result is unused.
    public func retire() {
        if let patience { reactor.cancel(patience) }
        patience = nil
    }

    private func carryOut(_ decision: ProviderTokenPolicy.Decision, _ now: UInt64) {
        switch decision {
        case .useCurrent: isHolding = false
        case .wait: isHolding = true
        case .sign: sign(now)
        case .inquire(let inquiry): make(inquiry, now)
        }
    }

    private func sign(_ now: UInt64) {
        guard let text = signed(now) else { return }
        policy.tokenSigned(issuedAt: now)
        use(text)
    }

    /// Returns nil on failure, which the policy records.
    private func signed(_ now: UInt64) -> String? {
        guard let text = signer.sign(issuedAt: now) else {
            policy.signingFailed()
            failure = "the provider token cannot be signed"
            return nil
        }
        failure = nil
        return text
    }

    private func use(_ text: String) {
        current = AuthorizationValue(epoch: policy.epoch, "bearer \(text)")
        currentText = text
        for each in settled { each(.renewed) }
    }

    // MARK: Sharing

    private func make(_ inquiry: ProviderTokenPolicy.Inquiry, _ now: UInt64) {
        let offered: String?
        switch inquiry.offer {
        case .fresh:
            guard let text = signed(inquiry.issuedAt) else { return }
            offered = text
            candidate = text
        case .current: offered = currentText
        case .nothing: offered = nil
        }
        var offer: SharedProviderToken?
        if let offered, let sealed = signer.seal(offered, issuedAt: inquiry.issuedAt) {
            offer = SharedProviderToken(
                issuedAt: inquiry.issuedAt, sealed: sealed, usableFor: inquiry.usableFor(now: now))
        }
        isHolding = inquiry.holdsPushes
        if isHolding {
            patience = reactor.schedule(after: ProviderTokenSource.longestWait) { [weak self] in
                guard let self else { return }
                patience = nil
                follow(policy.patienceEnded(inquiry.number, now: wallClock()), nil)
            }
        }
        shared?.exchange(
            offer, refused: inquiry.refused, minimumInterval: ProviderTokenPolicy.minimumInterval, for: account
        ) { [weak self] reply in
            self?.answered(inquiry, offered, reply)
        }
    }

    private func answered(
        _ inquiry: ProviderTokenPolicy.Inquiry, _ offered: String?, _ reply: SharedProviderTokenReply
    ) {
        let (answer, text) = read(reply, offered)
        let unusable = policy.unusableTokens
        let verdict = policy.answered(inquiry.number, answer, now: wallClock())
        if policy.unusableTokens != unusable { shared?.unusableTokenFound(for: account) }
        follow(verdict, text)
        if !policy.isInquiring {
            candidate = nil
            if let patience { reactor.cancel(patience) }
            patience = nil
        }
    }

    /// Interprets a reply, with the other token in it.
    private func read(
        _ reply: SharedProviderTokenReply, _ offered: String?
    ) -> (answer: ProviderTokenPolicy.Answer, text: String?) {
        switch reply {
        case .taken: return (.taken, nil)
        case .nothing: return (.nothing, nil)
        case .unavailable: return (.unavailable, nil)
        case .shared(let token):
            guard let text = signer.open(token) else { return (.unusable, nil) }
            // The offer was accepted, but its answer was lost.
            if text == offered { return (.taken, nil) }
            if text == currentText { return (.unchanged, nil) }
            return (.other(issuedAt: token.issuedAt), text)
        }
    }

    private func follow(_ verdict: ProviderTokenPolicy.Verdict, _ shared: String?) {
        let wasHolding = isHolding
        isHolding = false
        switch verdict {
        case .useOffer:
            if let candidate { return use(candidate) }
        case .useShared:
            if let shared { return use(shared) }
        case .keepCurrent: break
        }
        if wasHolding { for each in settled { each(.none) } }
    }
}
