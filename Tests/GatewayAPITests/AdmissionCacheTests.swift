import Testing
import TimeCore

@testable import GatewayAPI
@testable import GatewayStore

@Suite("Keys that are known for a moment")
struct AdmissionCacheTests {
    private func time(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func word(_ answer: AdmissionCache.Answer?) -> String {
        switch answer {
        case .admitted(let admission): admission.tenantID
        case .refused: "refused"
        case nil: "ask"
        }
    }

    private func admission(_ tenantID: String) -> Admission {
        Admission(
            tenantID: tenantID, tier: .growth, isEnabled: true, signatures: .none, identityHashes: [],
            hasUnreadableIdentity: false,
            rate: .init(isAllowed: true, remaining: 0, resetAt: 0))
    }

    @Test("A key is taken for what it was until its time is over, and not a moment longer")
    func expiry() {
        var cache = AdmissionCache(lifetime: .milliseconds(1000))
        #expect(word(cache.find("a", now: time(0))) == "ask")
        cache.add("a", admission("t"), now: time(0))
        cache.add("b", nil, now: time(500))
        #expect(word(cache.find("a", now: time(999))) == "t")
        #expect(word(cache.find("a", now: time(1000))) == "ask")
        #expect(word(cache.find("b", now: time(1499))) == "refused")
        #expect(word(cache.find("b", now: time(1500))) == "ask")
    }

    @Test("The newest word counts: a key that is revoked is refused, one that is made is let in")
    func changes() {
        var cache = AdmissionCache(lifetime: .milliseconds(1000))
        cache.add("a", admission("t"), now: time(0))
        cache.add("a", nil, now: time(10))
        #expect(word(cache.find("a", now: time(20))) == "refused")
        cache.add("a", admission("u"), now: time(30))
        #expect(word(cache.find("a", now: time(40))) == "u")
    }

    @Test("Any number of unknown keys push out no known one, and both kinds are bounded")
    func bounds() {
        var cache = AdmissionCache(lifetime: .milliseconds(1000), capacity: 10)
        cache.add("a", admission("t"), now: time(0))
        for number in 0..<1000 {
            cache.add("no-\(number)", nil, now: time(0))
            #expect(cache.count <= 11)
        }
        #expect(word(cache.find("a", now: time(1))) == "t")
        for number in 0..<1000 {
            cache.add("yes-\(number)", admission("t"), now: time(0))
            #expect(cache.count <= 20)
            #expect(word(cache.find("yes-\(number)", now: time(1))) == "t")
        }
    }
}
