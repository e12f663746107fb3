import APNsCore
import Testing

@Suite("Sharing of provider tokens") struct ProviderTokenSharingTests {
    private typealias Policy = ProviderTokenPolicy
    private let start: UInt64 = 1_700_000_000

    private func inquiry(_ decision: ProviderTokenPolicy.Decision) throws -> ProviderTokenPolicy.Inquiry {
        guard case .inquire(let inquiry) = decision else { throw NotAnInquiry(decision: decision) }
        return inquiry
    }

    private struct NotAnInquiry: Error {
        let decision: ProviderTokenPolicy.Decision
    }

    /// A policy whose first inquiry came to this.
    private func policy(after answer: ProviderTokenPolicy.Answer) throws -> ProviderTokenPolicy {
        var policy = Policy(sharesTokens: true)
        let first = try inquiry(policy.tokenRequested(now: start))
        _ = policy.answered(first.number, answer, now: start)
        return policy
    }

    @Test("The first request offers a fresh token and holds pushes; all others wait for the same answer (invariant 3)")
    func first() throws {
        var policy = Policy(sharesTokens: true)
        let first = try inquiry(policy.tokenRequested(now: start))
        #expect(first.offer == .fresh)
        #expect(first.issuedAt == start)
        #expect(first.holdsPushes)
        #expect(first.usableFor(now: start) == 3_000)
        #expect(policy.tokenRequested(now: start) == .wait)
        #expect(policy.answered(first.number, .taken, now: start) == .useOffer)
        #expect(policy.epoch == 1)
        #expect(policy.tokenRequested(now: start + 1) == .useCurrent)
        #expect(policy.tokenRequested(now: start + 2_999) == .useCurrent)
    }

    @Test("Whoever comes second takes the token that is there, and renews it by its age")
    func second() throws {
        var policy = try policy(after: .other(issuedAt: start - 1_000))
        #expect(policy.issuedAt == start - 1_000)
        #expect(policy.tokenRequested(now: start + 1_999) == .useCurrent)
        let renewal = try inquiry(policy.tokenRequested(now: start + 2_000))
        #expect(renewal.offer == .fresh)
        // The old one is good for ten more minutes.
        #expect(!renewal.holdsPushes)
        #expect(policy.tokenRequested(now: start + 2_000) == .useCurrent)
        #expect(policy.answered(renewal.number, .other(issuedAt: start + 1_990), now: start + 2_001) == .useShared)
        #expect(policy.epoch == 2)
    }

    @Test("An answer that takes too long holds nothing up: the token that was offered is used")
    func patience() throws {
        var policy = Policy(sharesTokens: true)
        let first = try inquiry(policy.tokenRequested(now: start))
        #expect(policy.patienceEnded(first.number, now: start) == .useOffer)
        #expect(policy.tokenRequested(now: start) == .useCurrent)
        // Late, and no reason to change again: the store has it.
        #expect(policy.answered(first.number, .taken, now: start + 1) == .keepCurrent)
        #expect(policy.epoch == 1)
        #expect(policy.tokenRequested(now: start + 1_300) == .useCurrent)
    }

    @Test("After impatience another token is taken no sooner than twenty minutes later, by an inquiry of its own")
    func lateOther() throws {
        var policy = Policy(sharesTokens: true)
        let first = try inquiry(policy.tokenRequested(now: start))
        #expect(policy.patienceEnded(first.number, now: start) == .useOffer)
        #expect(policy.answered(first.number, .other(issuedAt: start - 100), now: start + 1) == .keepCurrent)
        #expect(policy.tokenRequested(now: start + 1_199) == .useCurrent)
        let comparison = try inquiry(policy.tokenRequested(now: start + 1_200))
        #expect(comparison.offer == .current)
        #expect(comparison.usableFor(now: start + 1_200) == 1_800)
        #expect(!comparison.holdsPushes)
        let verdict = policy.answered(comparison.number, .other(issuedAt: start - 100), now: start + 1_200)
        #expect(verdict == .useShared)
        #expect(policy.tokenRequested(now: start + 1_300) == .useCurrent)
    }

    @Test("Without the store a client signs for itself, and offers its token once the store is back")
    func unavailable() throws {
        var policy = try policy(after: .unavailable)
        #expect(policy.epoch == 1)
        #expect(policy.tokenRequested(now: start + 59) == .useCurrent)
        let comparison = try inquiry(policy.tokenRequested(now: start + 60))
        #expect(comparison.offer == .current)
        #expect(comparison.issuedAt == start)
        #expect(policy.answered(comparison.number, .taken, now: start + 60) == .keepCurrent)
        #expect(policy.tokenRequested(now: start + 2_999) == .useCurrent)
        #expect(policy.epoch == 1)
    }

    @Test("A renewal waits for the store until the token is fifty-five minutes old, then the client goes alone")
    func lonelyRenewal() throws {
        var policy = try policy(after: .taken)
        for age: UInt64 in [3_000, 3_060, 3_240] {
            let renewal = try inquiry(policy.tokenRequested(now: start + age))
            #expect(policy.answered(renewal.number, .unavailable, now: start + age + 2) == .keepCurrent)
            #expect(policy.tokenRequested(now: start + age + 59) == .useCurrent)
        }
        let last = try inquiry(policy.tokenRequested(now: start + 3_300))
        #expect(policy.answered(last.number, .unavailable, now: start + 3_302) == .useOffer)
        #expect(policy.epoch == 2)
    }

    @Test("What does not open is not used, not replaced, and not looked at again for twenty minutes")
    func unusable() throws {
        var policy = try policy(after: .unusable)
        #expect(policy.epoch == 1)
        #expect(policy.unusableTokens == 1)
        #expect(policy.tokenRequested(now: start + 1_199) == .useCurrent)
        let comparison = try inquiry(policy.tokenRequested(now: start + 1_200))
        #expect(comparison.offer == .current)
        #expect(policy.answered(comparison.number, .unusable, now: start + 1_200) == .keepCurrent)
        #expect(policy.unusableTokens == 2)
        let renewal = try inquiry(policy.tokenRequested(now: start + 3_000))
        #expect(policy.answered(renewal.number, .unusable, now: start + 3_000) == .useOffer)
    }

    @Test("A shared token of an age that it cannot have is not used", arguments: [-3_300, 301, 86_400])
    func implausible(_ offset: Int) throws {
        let issuedAt = UInt64(Int(start) + offset)
        let policy = try policy(after: .other(issuedAt: issuedAt))
        #expect(policy.issuedAt == start)
        #expect(policy.unusableTokens == 1)
    }

    @Test("Clocks that differ a little do no harm", arguments: [-3_299, 300])
    func plausible(_ offset: Int) throws {
        let issuedAt = UInt64(Int(start) + offset)
        let policy = try policy(after: .other(issuedAt: issuedAt))
        #expect(policy.issuedAt == issuedAt)
        #expect(policy.unusableTokens == 0)
    }

    @Test("While the store still gives out the current one, a fast clock makes no other")
    func fastClock() throws {
        var policy = try policy(after: .taken)
        for age: UInt64 in [3_000, 3_100, 3_290] {
            let renewal = try inquiry(policy.tokenRequested(now: start + age))
            #expect(policy.answered(renewal.number, .unchanged, now: start + age) == .keepCurrent)
            #expect(policy.tokenRequested(now: start + age + 1) == .useCurrent)
        }
        #expect(policy.epoch == 1)
    }

    @Test("An expired token holds pushes and asks for another one, once; twenty minutes old, a fresh one is offered")
    func expiry() throws {
        var policy = try policy(after: .taken)
        let young = try inquiry(policy.expiryReported(epoch: 1, now: start + 100))
        #expect(young.offer == .nothing)
        #expect(young.refused == start)
        #expect(young.holdsPushes)
        #expect(policy.expiryReported(epoch: 1, now: start + 100) == .wait)
        #expect(policy.tokenRequested(now: start + 100) == .wait)
        #expect(policy.answered(young.number, .unchanged, now: start + 100) == .keepCurrent)
        #expect(policy.tokenRequested(now: start + 100) == .useCurrent)
        #expect(policy.expiryReported(epoch: 1, now: start + 159) == .useCurrent)
        let old = try inquiry(policy.expiryReported(epoch: 1, now: start + 1_200))
        #expect(old.offer == .fresh)
        #expect(old.refused == start)
        #expect(policy.answered(old.number, .taken, now: start + 1_200) == .useOffer)
        #expect(policy.expiryReported(epoch: 1, now: start + 5_000) == .useCurrent)
    }

    @Test("An expired token gives way to the one that another client has made, at any age")
    func expiryElsewhere() throws {
        var policy = try policy(after: .taken)
        let young = try inquiry(policy.expiryReported(epoch: 1, now: start + 100))
        #expect(policy.answered(young.number, .other(issuedAt: start + 90), now: start + 100) == .useShared)
        #expect(policy.issuedAt == start + 90)
    }

    @Test("Pushes wait for another one in place of an expired token only so long")
    func expiryPatience() throws {
        var policy = try policy(after: .taken)
        let young = try inquiry(policy.expiryReported(epoch: 1, now: start + 100))
        #expect(policy.patienceEnded(young.number, now: start + 100) == .keepCurrent)
        #expect(policy.tokenRequested(now: start + 100) == .useCurrent)
        _ = policy.answered(young.number, .unavailable, now: start + 102)
        let old = try inquiry(policy.expiryReported(epoch: 1, now: start + 1_200))
        #expect(policy.patienceEnded(old.number, now: start + 1_200) == .useOffer)
        #expect(policy.epoch == 2)
        #expect(policy.answered(old.number, .other(issuedAt: start + 1_199), now: start + 1_201) == .keepCurrent)
    }

    @Test("A clock that was set back makes the client ask, and an inquiry without an answer is given up")
    func clockSetBack() throws {
        var policy = try policy(after: .taken)
        let back = try inquiry(policy.tokenRequested(now: start - 5_000))
        #expect(policy.answered(back.number, .unavailable, now: start - 5_000) == .useOffer)
        #expect(policy.issuedAt == start - 5_000)
        let comparison = try inquiry(policy.tokenRequested(now: start - 4_000))
        #expect(policy.tokenRequested(now: start - 3_991) == .useCurrent)
        #expect(policy.tokenRequested(now: start - 3_990) == .useCurrent)
        let next = try inquiry(policy.tokenRequested(now: start - 3_930))
        #expect(policy.answered(comparison.number, .other(issuedAt: start - 4_000), now: start - 3_930) == .keepCurrent)
        #expect(policy.answered(next.number, .taken, now: start - 3_930) == .keepCurrent)
    }

    @Test("After TooManyProviderTokenUpdates a token of its own is not changed for the shared one either")
    func held() throws {
        var policy = try policy(after: .unavailable)
        policy.tooManyUpdatesReported(now: start + 10)
        #expect(policy.tokenRequested(now: start + 1_209) == .useCurrent)
        let comparison = try inquiry(policy.tokenRequested(now: start + 1_210))
        #expect(comparison.offer == .current)
    }

    @Test("A token that cannot be signed is tried again with the next push")
    func signingFails() throws {
        var policy = Policy(sharesTokens: true)
        _ = try inquiry(policy.tokenRequested(now: start))
        policy.signingFailed()
        _ = try inquiry(policy.tokenRequested(now: start))
    }
}
