import Delivery
import HealthCore
import Testing
import TimeCore

@Suite("The circuit breaker") struct CircuitBreakerTests {
    @Test("A healthy provider is given as many pushes as the connections take")
    func healthy() {
        var harness = BreakerHarness()
        harness.breaker.served(1_000, now: harness.now)
        #expect(harness.breaker.allowance(now: harness.now) == nil)
        #expect(harness.breaker.nextLook == nil)
    }

    @Test("Three failures in a row pause when nothing else was heard, two do not")
    func fewAreEnough() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 2)
        #expect(harness.breaker.health == .healthy)
        harness.trouble()
        #expect(harness.reason?.kind == .overloaded && harness.reason?.name == "ServiceUnavailable")
        #expect(harness.breaker.allowance(now: harness.now) == 0)
    }

    @Test("Silent devices beside answered ones pause nothing, but count as a bad share")
    func silentDevices() {
        var harness = BreakerHarness()
        harness.pass(.seconds(20))
        harness.trouble(.noAnswer, 19, pauses: false)
        #expect(!harness.breaker.health.isPaused && harness.advice == .none)
        harness.trouble(.noAnswer, 200, pauses: false)
        #expect(!harness.breaker.health.isPaused && harness.advice == .slowDown)
        harness.trouble(.noAnswer, 3)
        #expect(harness.breaker.health.isPaused)
    }

    @Test("Right after good answers it takes twenty in a row, on more than one connection")
    func manyAreNeeded() {
        var harness = BreakerHarness()
        harness.breaker.served(1, now: harness.now)
        harness.trouble(BreakerHarness.unavailable, 19)
        #expect(harness.breaker.health == .healthy)
        harness.breaker.served(1, now: harness.now)
        harness.trouble(BreakerHarness.unavailable, 19)
        #expect(harness.breaker.health == .healthy, "a good answer begins the count anew")
        harness.trouble()
        #expect(harness.breaker.isPaused)
    }

    @Test("One connection among several never pauses the provider, the only one does")
    func oneConnection() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 5_000, slots: [2])
        #expect(harness.breaker.health == .healthy)
        harness.trouble(BreakerHarness.unavailable, 1, slots: [2], isAlone: true)
        #expect(harness.breaker.isPaused)
    }

    @Test("Devices that get too many pushes pause only by their share")
    func busyDevices() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.busyDevice, 19)
        #expect(harness.breaker.health == .healthy)
        harness.breaker.served(1, now: harness.now)
        harness.trouble(BreakerHarness.busyDevice, 20)
        #expect(harness.reason?.name == "TooManyRequests")
    }

    @Test("A mixture slows down and does not pause")
    func mixture() {
        var harness = BreakerHarness()
        for _ in 0..<40 {
            harness.trouble()
            harness.breaker.served(2, now: harness.now)
        }
        #expect(harness.breaker.health == .healthy && harness.advice == .slowDown)
        harness.advice = .none
        harness.pass(.seconds(2))
        for _ in 0..<40 {
            harness.trouble()
            harness.breaker.served(20, now: harness.now)
        }
        #expect(harness.advice == .none, "one in twenty is borne")
    }

    @Test("While paused one push probes at a time; when it is served all goes on")
    func probing() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        let wait = harness.waitForProbe()
        #expect(wait >= .milliseconds(500) && wait <= .milliseconds(1_010))
        #expect(harness.breaker.allowance(now: harness.now) == 1)
        harness.breaker.probeBegan(now: harness.now)
        #expect(harness.breaker.allowance(now: harness.now) == 0)
        harness.breaker.probeEnded(nil, now: harness.now, random: 0)
        #expect(harness.breaker.health == .healthy && harness.breaker.allowance(now: harness.now) == nil)
    }

    @Test("The pauses grow with the outage, to thirty seconds, and never beyond a quarter of it")
    func backoff() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        let began = harness.now
        var longest = TimeInterval.zero
        for _ in 0..<60 {
            let outage = harness.now - began
            let wait = harness.waitForProbe()
            #expect(wait.nanoseconds <= max(1_020_000_000, outage.nanoseconds / 4 + 20_000_000))
            longest = max(longest, wait)
            harness.probe(BreakerHarness.unavailable)
        }
        #expect(longest >= .seconds(15) && longest <= .milliseconds(30_020))
    }

    @Test("Retry-After is waited for, in the answers before the pause and in the probe's")
    func retryAfter() {
        var harness = BreakerHarness()
        let patient = ProviderTrouble(kind: .overloaded, name: "ServiceUnavailable", retryAfter: 7)
        harness.trouble(patient, 3)
        #expect(harness.waitForProbe() >= .seconds(7))
        harness.probe(patient)
        harness.breaker.workCame(now: harness.now)
        #expect(harness.waitForProbe() >= .milliseconds(6_990), "not even fresh work is tried before")
    }

    @Test("What a single device is asked to wait holds up nobody else, before the pause and in it")
    func singleRetryAfter() {
        var harness = BreakerHarness()
        let patient = ProviderTrouble(kind: .overloaded, name: "ServiceUnavailable", retryAfter: 500)
        harness.trouble(BreakerHarness.unavailable, 2)
        harness.trouble(patient)
        #expect(harness.breaker.isPaused)
        harness.trouble(patient)
        harness.trouble(
            ProviderTrouble(kind: .overloaded, name: "TooManyRequests", isWeighty: false, retryAfter: 500))
        #expect(harness.waitForProbe() <= .milliseconds(1_010))
    }

    @Test("However long the provider asks to wait, a push probes after a minute")
    func longRetryAfter() {
        var harness = BreakerHarness()
        let patient = ProviderTrouble(kind: .overloaded, name: "ServiceUnavailable", retryAfter: 999_999_999)
        harness.trouble(patient, 3)
        for _ in 0..<3 {
            let wait = harness.waitForProbe()
            #expect(wait >= .seconds(60) && wait <= .milliseconds(60_010))
            harness.probe(patient)
        }
    }

    @Test("Fresh work probes soon, and not without a pause")
    func freshWork() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        for _ in 0..<30 {
            _ = harness.waitForProbe()
            harness.probe(BreakerHarness.unavailable)
        }
        harness.breaker.workCame(now: harness.now)
        #expect(harness.waitForProbe() <= .milliseconds(1_010))
        harness.probe(BreakerHarness.unavailable)
        harness.pass(.seconds(2))
        harness.breaker.workCame(now: harness.now)
        #expect(harness.breaker.allowance(now: harness.now) == 1)
    }

    @Test("Answers to what was sent before the pause neither end nor prolong it")
    func lateAnswers() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        harness.trouble(BreakerHarness.unavailable, 500)
        harness.breaker.served(5, now: harness.now)
        #expect(harness.breaker.isPaused)
        #expect(harness.breaker.allowance(now: harness.now) == 1, "but the first probe need not wait")
    }

    @Test("A probe without an answer ends at its deadline and gives its reason")
    func silentProbe() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        _ = harness.waitForProbe()
        harness.breaker.probeBegan(now: harness.now)
        harness.pass(harness.breaker.configuration.probeTimeout)
        #expect(harness.reason?.kind == .noAnswer)
        #expect(harness.waitForProbe() < .seconds(10))
    }

    @Test("Two failed attempts without any connection pause; the first connection is probed at once")
    func noConnection() {
        var harness = BreakerHarness(ready: 0)
        harness.breaker.attemptFailed("refused", now: harness.now, random: 0)
        #expect(harness.breaker.health == .healthy)
        harness.breaker.attemptFailed("refused", now: harness.now, random: 0)
        #expect(harness.reason == PauseReason(kind: .noConnection, name: "NoConnection", text: "refused"))
        #expect(harness.breaker.allowance(now: harness.now) == 0)
        harness.breaker.connectionsChanged(ready: 1, isNeeded: true, now: harness.now)
        #expect(harness.breaker.allowance(now: harness.now) == 1)
        harness.probe(nil)
        #expect(harness.breaker.health == .healthy)
    }

    @Test("A connection that is needed and does not come pauses after three seconds")
    func noConnectionInTime() {
        var harness = BreakerHarness(ready: 0)
        harness.pass(.milliseconds(2_990))
        #expect(harness.breaker.health == .healthy)
        harness.pass(.milliseconds(10))
        #expect(harness.reason?.kind == .noConnection)
    }

    @Test("Failed attempts beside a connection that serves say nothing")
    func attemptsBeside() {
        var harness = BreakerHarness(ready: 1)
        for _ in 0..<10 { harness.breaker.attemptFailed("refused", now: harness.now, random: 0) }
        #expect(harness.breaker.health == .healthy)
    }

    @Test("Streams that are all refused pause after a second, single ones never")
    func refused() {
        var harness = BreakerHarness()
        harness.breaker.refused(1_000, now: harness.now, random: 0)
        #expect(harness.breaker.health == .healthy)
        harness.pass(.seconds(1))
        harness.breaker.served(1, now: harness.now)
        harness.breaker.refused(40, now: harness.now, random: 0)
        #expect(harness.breaker.health == .healthy)
        harness.pass(.seconds(1))
        harness.breaker.refused(1, now: harness.now, random: 0)
        #expect(harness.reason?.name == "Refused")
    }

    @Test("A credential that was asked about and refused pauses at once; a single refusal among pushes does not")
    func credential() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.badKey)
        #expect(harness.breaker.health == .healthy)
        harness.breaker.credentialRefused(BreakerHarness.badKey, now: harness.now, random: 0)
        #expect(harness.reason?.kind == .credential && harness.reason?.name == "InvalidProviderToken")
    }

    @Test(
        "Want of an authorization pauses with its own words, changes no other pause, and ends with a push that is served"
    )
    func authorization() {
        var harness = BreakerHarness()
        harness.breaker.authorizationMissing("no access token: invalid_grant", now: harness.now, random: 0)
        #expect(harness.reason?.kind == .credential && harness.reason?.name == "NoAuthorization")
        #expect(harness.reason?.text == "no access token: invalid_grant")
        harness.breaker.authorizationMissing("something else", now: harness.now, random: 0)
        #expect(harness.reason?.text == "no access token: invalid_grant")
        _ = harness.waitForProbe()
        harness.probe(nil)
        #expect(harness.breaker.health == .healthy)
    }

    @Test("The reason follows what the probes are told, the time stays that of the beginning")
    func reasonChanges() {
        var harness = BreakerHarness()
        harness.trouble(BreakerHarness.unavailable, 3)
        let began = harness.now
        _ = harness.waitForProbe()
        harness.probe(BreakerHarness.badKey)
        guard case .paused(let reason, let since) = harness.breaker.health else {
            Issue.record("not paused")
            return
        }
        #expect(reason.kind == .credential && since == began)
    }
}
