import FCMCore
import Testing
import TimeCore

@Suite("The life of an access token") struct AccessTokenPolicyTests {
    private typealias Policy = AccessTokenPolicy
    private let issued: UInt64 = 1_700_000_000

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000) + .seconds(seconds)
    }

    private func term(_ age: Int, of lifetime: Int = 3_600, issuedAt: UInt64? = nil) -> AccessTokenPolicy.SharedAnswer {
        .token(.init(issuedAt: issuedAt ?? issued, lifetime: .seconds(lifetime), age: .seconds(age)))
    }

    private func made(_ request: AccessTokenPolicy.Request?) throws -> AccessTokenPolicy.Request {
        try #require(request)
    }

    /// Requests a token and expects a request of this kind.
    private func begin(
        _ policy: inout AccessTokenPolicy, _ kind: AccessTokenPolicy.Request.Kind, at seconds: Double
    ) throws -> UInt32 {
        let request = try made(policy.tokenRequested(now: at(seconds)))
        #expect(request.kind == kind)
        return request.number
    }

    /// Returns the policy of a gateway that received this answer about the shared token at 0.
    private func sharing(_ answer: AccessTokenPolicy.SharedAnswer) throws -> (
        policy: AccessTokenPolicy, decision: AccessTokenPolicy.Decision
    ) {
        var policy = Policy(sharesTokens: true)
        let number = try begin(&policy, .lookUp, at: 0)
        let decision = policy.sharedTokenAnswered(number, answer, now: at(0), random: 0)
        return (policy, decision)
    }

    /// Returns a policy without sharing that fetched a token at 0.
    private func alone(lifetime: Int = 3_600, random: UInt64 = 0) throws -> AccessTokenPolicy {
        var policy = Policy(sharesTokens: false)
        let number = try begin(&policy, .fetch, at: 0)
        let decision = policy.fetched(
            number, issuedAt: issued, lifetime: .seconds(lifetime), now: at(0), random: random)
        #expect(decision.usesToken && decision.next == nil && policy.epoch == 1 && policy.issuedAt == issued)
        return policy
    }

    @Test("A first token is looked up, fetched under the lease, used at once and offered")
    func first() throws {
        var (policy, decision) = try sharing(.nothing)
        #expect(!policy.isUsable(now: at(0)) && policy.issuedAt == nil && !decision.usesToken)
        let lease = try #require(decision.next)
        #expect(lease.kind == .takeLease && policy.tokenRequested(now: at(1)) == nil)
        let fetch = try made(policy.leaseAnswered(lease.number, .taken, now: at(0.1)))
        #expect(fetch.kind == .fetch && policy.tokenRequested(now: at(1)) == nil)
        decision = policy.fetched(fetch.number, issuedAt: issued, lifetime: .seconds(3_599), now: at(1.1), random: 0)
        #expect(decision.usesToken && policy.isUsable(now: at(1.1)) && policy.epoch == 1)
        let offer = try #require(decision.next)
        // One second has passed since the request.
        #expect(offer.kind == .offer(.init(issuedAt: issued, replacing: nil, usableFor: 2_998)))
        policy.offerEnded(offer.number)
        #expect(policy.tokenRequested(now: at(2)) == nil)
    }

    @Test("The shared token is used, by its own age")
    func shared() throws {
        var (policy, decision) = try sharing(term(1_000))
        #expect(decision == .init(usesToken: true, next: nil) && policy.epoch == 1)
        #expect(policy.tokenRequested(now: at(1_999)) == nil)
        _ = try begin(&policy, .lookUp, at: 2_000)
        #expect(policy.isUsable(now: at(2_599)) && !policy.isUsable(now: at(2_600)))
    }

    @Test("A shared token near its end serves while there is no other, and the next one takes its place in the store")
    func sharedNearItsEnd() throws {
        var (policy, decision) = try sharing(term(2_990))
        #expect(decision.usesToken && decision.next?.kind == .takeLease)
        let fetch = try made(policy.leaseAnswered(decision.next?.number ?? 0, .taken, now: at(0)))
        decision = policy.fetched(
            fetch.number, issuedAt: issued + 2_990, lifetime: .seconds(3_600), now: at(0), random: 0)
        #expect(
            decision.next?.kind == .offer(.init(issuedAt: issued + 2_990, replacing: issued, usableFor: 3_000)))
        // A shared token at its end is not used.
        let (_, late) = try sharing(term(3_600))
        #expect(!late.usesToken && late.next?.kind == .takeLease)
    }

    @Test(
        "Renewal begins ten minutes before the end, and by chance a minute earlier; of a short life after half",
        arguments: [
            (3_600, 0, 3_000.0), (3_600, 60_000_000_000, 2_940.0), (100_000, 0, 3_000), (600, 0, 300), (60, 0, 30),
        ])
    func ahead(_ lifetime: Int, _ random: UInt64, _ due: Double) throws {
        var policy = try alone(lifetime: lifetime, random: random)
        #expect(policy.nextLook == at(due) && policy.tokenRequested(now: at(due - 0.001)) == nil)
        _ = try begin(&policy, .fetch, at: due)
        #expect(policy.isUsable(now: at(due)))
    }

    @Test("A lifetime counts from the request, and under a minute it is as good as no token")
    func lifetime() throws {
        var policy = Policy(sharesTokens: false)
        var number = try begin(&policy, .fetch, at: 0)
        let tooShort = policy.fetched(number, issuedAt: issued, lifetime: .seconds(59), now: at(0), random: 0)
        #expect(tooShort == .init(usesToken: false, next: nil) && policy.tokenRequested(now: at(0.9)) == nil)
        number = try begin(&policy, .fetch, at: 10)
        _ = policy.fetched(number, issuedAt: issued, lifetime: .seconds(100), now: at(17), random: 0)
        #expect(policy.isUsable(now: at(109.9)) && !policy.isUsable(now: at(110)))
    }

    @Test("The lease of another gateway has the shared token looked up again in 250 ms")
    func otherLease() throws {
        var (policy, decision) = try sharing(.nothing)
        #expect(policy.leaseAnswered(decision.next?.number ?? 0, .another, now: at(0)) == nil)
        #expect(policy.tokenRequested(now: at(0.249)) == nil && policy.nextLook == at(0.25))
        let number = try begin(&policy, .lookUp, at: 0.25)
        decision = policy.sharedTokenAnswered(number, term(1), now: at(0.25), random: 0)
        #expect(decision == .init(usesToken: true, next: nil))
    }

    @Test("A lease of which too little is left is not used")
    func lateLease() throws {
        let (late, decision) = try sharing(.nothing)
        for (seconds, fetches) in [(2.0, true), (2.001, false)] {
            var policy = late
            #expect((policy.leaseAnswered(decision.next?.number ?? 0, .taken, now: at(seconds)) != nil) == fetches)
        }
    }

    @Test("Fetches that fail come back after one second to sixty; a request to wait counts, up to a minute")
    func backoff() throws {
        for (random, factor) in [(UInt64(0), 0.5), (1_000_000_000, 1)] {
            var policy = Policy(sharesTokens: false)
            var now = 0.0
            for whole in [2.0, 4, 8, 16, 32, 60, 60] {
                let number = try begin(&policy, .fetch, at: now)
                // The random number 0 halves a pause. The other numbers apply to the first pause.
                policy.fetchFailed(number, isRefused: false, now: at(now), random: whole == 2 ? random : 0)
                let pause = whole == 2 ? whole * factor : whole / 2
                #expect(policy.tokenRequested(now: at(now + pause - 0.001)) == nil)
                now += pause
            }
        }
        for (asked, pause) in [(30.0, 30.0), (600, 60), (0.1, 1)] {
            var policy = Policy(sharesTokens: false)
            let number = try begin(&policy, .fetch, at: 0)
            policy.fetchFailed(number, isRefused: true, retryAfter: .seconds(asked), now: at(0), random: 0)
            #expect(policy.isCredentialRefused && policy.nextLook == at(pause))
        }
    }

    @Test("A renewal that fails lets the token serve to its end, and a found one forgets the failures")
    func failingRenewal() throws {
        var policy = try alone()
        let first = try begin(&policy, .fetch, at: 3_000)
        policy.fetchFailed(first, isRefused: true, now: at(3_000), random: 0)
        #expect(policy.isCredentialRefused && policy.isUsable(now: at(3_599)) && !policy.isUsable(now: at(3_600)))
        let second = try begin(&policy, .fetch, at: 3_001)
        _ = policy.fetched(second, issuedAt: issued + 3_001, lifetime: .seconds(3_600), now: at(3_001), random: 0)
        #expect(!policy.isCredentialRefused && policy.epoch == 2 && policy.isUsable(now: at(3_600)))
    }

    @Test("A token that was called expired is replaced once, and never used again, however it comes back")
    func expiry() throws {
        var (policy, _) = try sharing(term(100))
        #expect(policy.expiryReported(epoch: 0, now: at(1)) == nil)
        let lookUp = try made(policy.expiryReported(epoch: 1, now: at(1)))
        #expect(lookUp.kind == .lookUp && !policy.isUsable(now: at(1)))
        #expect(policy.expiryReported(epoch: 1, now: at(1)) == nil)
        // The store still has the expired token, then an older one.
        var decision = policy.sharedTokenAnswered(lookUp.number, term(101), now: at(1), random: 0)
        #expect(!decision.usesToken && decision.next?.kind == .takeLease)
        _ = policy.leaseAnswered(decision.next?.number ?? 0, .another, now: at(1))
        var number = try begin(&policy, .lookUp, at: 2)
        decision = policy.sharedTokenAnswered(number, term(110, issuedAt: issued - 9), now: at(2), random: 0)
        #expect(!decision.usesToken)
        _ = policy.leaseAnswered(decision.next?.number ?? 0, .unavailable, now: at(2))
        #expect(policy.tokenRequested(now: at(2.999)) == nil)
        number = try begin(&policy, .lookUp, at: 3)
        decision = policy.sharedTokenAnswered(number, term(1, issuedAt: issued + 102), now: at(3), random: 0)
        #expect(decision == .init(usesToken: true, next: nil) && policy.isUsable(now: at(3)))
    }

    @Test("A token younger than a minute is kept, whatever it is called")
    func young() throws {
        var (policy, _) = try sharing(term(10))
        #expect(policy.expiryReported(epoch: 1, now: at(49.9)) == nil && policy.isUsable(now: at(49.9)))
        #expect(policy.expiryReported(epoch: 1, now: at(50))?.kind == .lookUp)
    }

    @Test("What nobody answers is given up, and an answer that comes after all is passed over")
    func silence() throws {
        var policy = Policy(sharesTokens: true)
        let first = try begin(&policy, .lookUp, at: 0)
        #expect(policy.nextLook == at(5) && policy.tokenRequested(now: at(5)) == nil)
        let second = try begin(&policy, .lookUp, at: 6)
        #expect(policy.sharedTokenAnswered(first, term(1), now: at(6), random: 0) == .init(usesToken: false, next: nil))
        #expect(policy.leaseAnswered(second, .taken, now: at(6)) == nil)
        let decision = policy.sharedTokenAnswered(second, .nothing, now: at(6), random: 0)
        let fetch = try made(policy.leaseAnswered(decision.next?.number ?? 0, .taken, now: at(6)))
        #expect(policy.tokenRequested(now: at(14)) == nil && policy.tokenRequested(now: at(15.999)) == nil)
        _ = try begin(&policy, .lookUp, at: 16)
        let late = policy.fetched(fetch.number, issuedAt: issued, lifetime: .seconds(3_600), now: at(16), random: 0)
        #expect(late == .init(usesToken: false, next: nil) && !policy.isUsable(now: at(16)))
        policy.fetchFailed(fetch.number, isRefused: true, now: at(16), random: 0)
        #expect(!policy.isCredentialRefused)
    }

    @Test("While the store does not answer, nothing is fetched behind the others' backs")
    func storeAway() throws {
        let (away, decision) = try sharing(.unavailable)
        var policy = away
        #expect(decision == .init(usesToken: false, next: nil) && policy.tokenRequested(now: at(0.999)) == nil)
        _ = try begin(&policy, .lookUp, at: 1)
    }
}
