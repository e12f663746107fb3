public import Delivery
import FCMCore
public import PushClient
import Reactor
import TimeCore

/// Holds the access token that all connections of a client use, which all gateways with the service account share.
/// Drives `AccessTokenPolicy`, and renews the token after the first `refresh`. Confined to the client's reactor.
public final class AccessTokenSource: AuthorizationSource {
    /// Project and key. From any thread.
    public let account: ProviderAccount
    /// Nil also when FCM has called the token expired and the next one is under way.
    public var usable: AuthorizationValue? { policy.isUsable(now: reactor.now) ? current : nil }
    /// The newest token, as `Bearer TOKEN`; nil before the first. It may be expired.
    public private(set) var current: AuthorizationValue?
    /// The last failure of the token endpoint or of the request to it; nil after a token.
    public private(set) var failure: String?
    /// Shared tokens that were sealed with another key, or damaged.
    public private(set) var unusableValues: UInt64 = 0
    /// Seconds by the wall clock; 0 when that says that the token is from the future.
    public var age: UInt64? { policy.issuedAt.map(age(since:)) }

    private var policy: AccessTokenPolicy
    private let signer: AccessTokenSigner
    private let endpoint: TokenEndpoint
    private let shared: (any SharedProviderTokens)?
    private let reactor: Reactor
    private let wallClock: @Sendable () -> UInt64
    private let random: @Sendable () -> UInt64
    private var settled: [(AuthorizationChange) -> Void] = []
    private var timer: (timer: ReactorTimer, time: MonotonicTime)?
    /// The token that was fetched last.
    private var fetched: (token: String, lifetime: UInt64)?
    private var unusableTold: MonotonicTime?

    /// The minimum time between two reports of a shared token from another key.
    private static let tellingInterval = TimeInterval.seconds(1_200)

    init(
        _ signer: AccessTokenSigner, endpoint: TokenEndpoint, shared: (any SharedProviderTokens)?, reactor: Reactor,
        wallClock: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64
    ) {
        let name = signer.account
        account = ProviderAccount(("project", name.projectID), ("key", name.privateKeyID ?? name.clientEmail))
        policy = AccessTokenPolicy(sharesTokens: shared != nil)
        self.signer = signer
        self.endpoint = endpoint
        self.shared = shared
        self.reactor = reactor
        self.wallClock = wallClock
        self.random = random
    }

    /// Has `body` called with `renewed` for each new token, and with `none` when none could be had.
    public func whenSettled(_ body: @escaping (AuthorizationChange) -> Void) {
        settled.append(body)
    }

    /// Begins to get a token when there is none, or none that is good for long.
    public func refresh() {
        // On the way of every turn with pushes: nearly always there is nothing to do.
        if let timer, reactor.now < timer.time { return }
        carryOut(policy.tokenRequested(now: reactor.now))
    }

    /// Gets another token than that of `epoch`, once.
    public func expiryReported(epoch: UInt32) {
        carryOut(policy.expiryReported(epoch: epoch, now: reactor.now))
    }

    /// FCM does not say so.
    public func tooManyChangesReported() {}

    /// Closes the connection to the token endpoint. The result of a fetch in progress is lost.
    public func retire() {
        endpoint.close()
        if let timer { reactor.cancel(timer.timer) }
        timer = nil
    }

    private func age(since issuedAt: UInt64) -> UInt64 {
        let now = wallClock()
        return now > issuedAt ? now - issuedAt : 0
    }

    private func carryOut(_ request: AccessTokenPolicy.Request?) {
        defer { setTimer() }
        guard let request else { return }
        let number = request.number
        switch request.kind {
        case .lookUp:
            shared?.exchange(nil, refused: nil, minimumInterval: 0, for: account) { [weak self] reply in
                self?.lookedUp(number, reply)
            }
        case .takeLease:
            shared?.takeLease(for: account, time: AccessTokenPolicy.leaseTime) { [weak self] reply in
                self?.leaseAnswered(number, reply)
            }
        case .fetch: fetch(request)
        case .offer(let offer): share(offer, number)
        }
    }

    private func setTimer() {
        let time = policy.nextLook
        if timer?.time == time { return }
        if let timer { reactor.cancel(timer.timer) }
        let new = reactor.schedule(at: time) { [weak self] in
            guard let self else { return }
            timer = nil
            carryOut(policy.tokenRequested(now: reactor.now))
        }
        timer = (new, time)
    }

    private func use(_ token: String) {
        current = AuthorizationValue(epoch: policy.epoch, "Bearer \(token)")
        failure = nil
        for each in settled { each(.renewed) }
    }

    private func fail(_ reason: String) {
        failure = "no access token: \(reason)"
        for each in settled { each(.none) }
    }

    // MARK: Sharing

    private func lookedUp(_ number: UInt32, _ reply: SharedProviderTokenReply) {
        var answer = AccessTokenPolicy.SharedAnswer.nothing
        var token: String?
        switch reply {
        case .taken, .nothing: break
        case .unavailable: answer = .unavailable
        case .shared(let found):
            guard let opened = signer.open(found.sealed, issuedAt: found.issuedAt) else {
                noteUnusable()
                break
            }
            token = opened.token
            answer = .token(
                AccessTokenPolicy.Term(
                    issuedAt: found.issuedAt, lifetime: .seconds(Int(clamping: opened.lifetime)),
                    age: .seconds(Int(clamping: age(since: found.issuedAt)))))
        }
        let decision = policy.sharedTokenAnswered(number, answer, now: reactor.now, random: random())
        if decision.usesToken, let token { use(token) }
        carryOut(decision.next)
    }

    private func noteUnusable() {
        let now = reactor.now
        unusableValues += 1
        if let unusableTold, now - unusableTold < Self.tellingInterval { return }
        unusableTold = now
        shared?.unusableTokenFound(for: account)
    }

    private func leaseAnswered(_ number: UInt32, _ reply: TokenLeaseReply) {
        let answer: AccessTokenPolicy.LeaseAnswer =
            switch reply {
            case .taken: .taken
            case .another: .another
            case .unavailable: .unavailable
            }
        carryOut(policy.leaseAnswered(number, answer, now: reactor.now))
    }

    private func share(_ offer: AccessTokenPolicy.Offer, _ number: UInt32) {
        guard let fetched, let shared,
            let sealed = signer.seal(fetched.token, lifetime: fetched.lifetime, issuedAt: offer.issuedAt)
        else { return policy.offerEnded(number) }
        let token = SharedProviderToken(issuedAt: offer.issuedAt, sealed: sealed, usableFor: offer.usableFor)
        shared.exchange(
            token, refused: offer.replacing, minimumInterval: AccessTokenPolicy.replacementInterval, for: account
        ) { [weak self] _ in
            guard let self else { return }
            policy.offerEnded(number)
            setTimer()
        }
    }

    // MARK: Fetching

    private func fetch(_ request: AccessTokenPolicy.Request) {
        let issuedAt = wallClock()
        guard let body = signer.request(audience: endpoint.url, issuedAt: issuedAt) else {
            let failure = AccessTokenAnswer.failed("the request for an access token cannot be signed")
            return fetchEnded(request.number, issuedAt, failure, .zero)
        }
        // Shorter than the request's own limit, so that a failure names the endpoint's silence.
        let deadline = TimeInterval(nanoseconds: request.limit.nanoseconds / 8 * 7)
        endpoint.ask(body, deadline: deadline) { [weak self] answer, wait in
            self?.fetchEnded(request.number, issuedAt, answer, wait)
        }
    }

    private func fetchEnded(
        _ number: UInt32, _ issuedAt: UInt64, _ answer: AccessTokenAnswer, _ wait: TimeInterval
    ) {
        let now = reactor.now
        switch answer {
        case .token(let token, let lifetime):
            fetched = (token, lifetime.nanoseconds / 1_000_000_000)
            let decision = policy.fetched(number, issuedAt: issuedAt, lifetime: lifetime, now: now, random: random())
            if decision.usesToken { use(token) } else { fetchFailed("the lifetime of the token is too short") }
            carryOut(decision.next)
        case .refused(let text):
            policy.fetchFailed(number, isRefused: true, retryAfter: wait, now: now, random: random())
            fetchFailed("the service account is refused: \(text)")
        case .failed(let text):
            policy.fetchFailed(number, isRefused: false, retryAfter: wait, now: now, random: random())
            fetchFailed("the token endpoint: \(text)")
        }
    }

    private func fetchFailed(_ reason: String) {
        shared?.returnLease(for: account)
        fail(reason)
        setTimer()
    }
}
