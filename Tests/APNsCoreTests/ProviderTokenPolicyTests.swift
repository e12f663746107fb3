import APNsCore
import Testing

@Suite("The age of provider tokens") struct ProviderTokenPolicyTests {
    private let start: UInt64 = 1_700_000_000

    private func signed() -> ProviderTokenPolicy {
        var policy = ProviderTokenPolicy()
        _ = policy.tokenRequested(now: start)
        policy.tokenSigned(issuedAt: start)
        return policy
    }

    @Test("The first request signs; until that is done all others wait (invariant 3)")
    func first() {
        var policy = ProviderTokenPolicy()
        #expect(policy.tokenRequested(now: start) == .sign)
        #expect(policy.tokenRequested(now: start) == .wait)
        #expect(policy.expiryReported(epoch: 0, now: start) == .wait)
        policy.tokenSigned(issuedAt: start)
        #expect(policy.epoch == 1)
        #expect(policy.issuedAt == start)
        #expect(policy.tokenRequested(now: start) == .useCurrent)
    }

    @Test("A failed signing is tried again")
    func failure() {
        var policy = ProviderTokenPolicy()
        #expect(policy.tokenRequested(now: start) == .sign)
        policy.signingFailed()
        #expect(policy.epoch == 0)
        #expect(policy.tokenRequested(now: start) == .sign)
    }

    @Test("A token is renewed at fifty minutes, well before its hour is over (invariant 1)")
    func age() {
        var policy = signed()
        #expect(policy.tokenRequested(now: start + 2_999) == .useCurrent)
        #expect(policy.tokenRequested(now: start + 3_000) == .sign)
        policy.tokenSigned(issuedAt: start + 3_000)
        #expect(policy.epoch == 2)
        #expect(policy.tokenRequested(now: start + 3_001) == .useCurrent)
    }

    @Test("An expiry within twenty minutes brings no other token; after that it does, once (invariants 2 and 3)")
    func expiry() {
        var policy = signed()
        #expect(policy.expiryReported(epoch: 1, now: start + 1_199) == .useCurrent)
        #expect(policy.expiryReported(epoch: 1, now: start + 1_200) == .sign)
        #expect(policy.expiryReported(epoch: 1, now: start + 1_200) == .wait)
        policy.tokenSigned(issuedAt: start + 1_200)
        #expect(policy.expiryReported(epoch: 1, now: start + 9_000) == .useCurrent)
        #expect(policy.epoch == 2)
    }

    @Test("An expiry of an earlier token says nothing about the current one (invariant 4)")
    func lateExpiry() {
        var policy = signed()
        _ = policy.tokenRequested(now: start + 3_000)
        policy.tokenSigned(issuedAt: start + 3_000)
        #expect(policy.expiryReported(epoch: 1, now: start + 5_000) == .useCurrent)
        #expect(policy.tokenRequested(now: start + 5_000) == .useCurrent)
    }

    @Test("After TooManyProviderTokenUpdates the token stays, but never past its hour (invariant 1)")
    func held() {
        var policy = signed()
        policy.tooManyUpdatesReported(now: start + 2_900)
        #expect(policy.tokenRequested(now: start + 3_100) == .useCurrent)
        #expect(policy.tokenRequested(now: start + 3_599) == .useCurrent)
        #expect(policy.tokenRequested(now: start + 3_600) == .sign)
    }

    @Test("A clock that was set back does not keep a token alive for ever")
    func clockSetBack() {
        var policy = signed()
        #expect(policy.tokenRequested(now: start - 30) == .useCurrent)
        #expect(policy.tokenRequested(now: start - 5_000) == .sign)
        policy.tokenSigned(issuedAt: start - 5_000)
        #expect(policy.tokenRequested(now: start - 4_999) == .useCurrent)
    }
}
