import Delivery
import HealthCore
import TestSupport
import Testing
import TimeCore

/// Random stories, checked step by step against independent bookkeeping of the invariants.
@Suite("Random walks of the breaker") struct BreakerWalkTests {
    @Test("No invariant is broken in any story", arguments: 0..<30)
    func walk(_ number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        let walker = BreakerWalker.story(seed: seed, steps: 4_000) { Issue.record("\($0)") }
        guard walker.violations.isEmpty else { return }
        #expect(walker.pauses > 1 && walker.recoveries > 0, "seed \(seed): the story never got anywhere")
    }
}

struct BreakerWalker: RandomStory {
    var breaker = CircuitBreaker()
    var generator: SeededGenerator
    var now = MonotonicTime(nanoseconds: 77_000_000_000)
    var violations: [String] = []
    var last = ""
    var pauses = 0
    var recoveries = 0

    // Bookkeeping of the story, independent of the breaker.
    private var goodSince = false
    /// Troubles outside of pauses, and those of them with a `Retry-After`.
    private var heard = 0
    private var asking = 0
    private var troubles = 0
    private var refusals = 0
    private var failures = 0
    private var slots: Set<Int> = []
    private var ready = 0
    private var isNeeded = false
    private var isProbing = false
    private var dueBy: MonotonicTime?
    private var notBefore = MonotonicTime(nanoseconds: 0)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func check(_ condition: Bool, _ text: String) {
        if !condition { violations.append(text) }
    }

    mutating func step() {
        let wasPaused = breaker.health.isPaused
        let began = isProbing
        let ended = event()
        let isPaused = breaker.health.isPaused
        if !wasPaused, isPaused {
            pauses += 1
            let hasCause =
                troubles >= 3 || refusals >= breaker.configuration.refusalsToPause || last == "credential"
                || (ready == 0 && (failures >= 2 || isNeeded))
            check(
                hasCause, "invariant 1: paused after \(troubles) troubles, \(refusals) refusals, \(failures) failures")
            forget()
            dueBy = now + breaker.configuration.maximumPause
        }
        if wasPaused, !isPaused {
            recoveries += 1
            check(ended == .served, "invariant 4: the pause ended without a probe that was served")
            dueBy = nil
            notBefore = MonotonicTime(nanoseconds: 0)
        }
        if ended == .served { check(!isPaused, "invariant 4: still paused") }
        checkAllowance(began)
    }

    private mutating func checkAllowance(_ began: Bool) {
        let allowance = breaker.allowance(now: now)
        guard breaker.health.isPaused else { return check(allowance == nil, "healthy, and yet \(allowance ?? -1)") }
        if isProbing || ready == 0 { check(allowance == 0, "invariant 2: \(allowance ?? -1) with a probe under way") }
        if now < notBefore { check(allowance == 0, "asked before Retry-After was over") }
        if let dueBy, !isProbing, ready > 0, now > max(dueBy, notBefore) {
            check(allowance == 1, "invariant 3: no probe is due")
        }
        check(breaker.nextLook != nil, "nothing is waited for")
    }

    private mutating func forget() {
        (troubles, refusals, goodSince) = (0, 0, false)
        (heard, asking) = (0, 0)
        slots = []
    }

    private enum Ending { case none, served, failed }

    private mutating func event() -> Ending {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<10:
            last = "served"
            breaker.served(Int.random(in: 1...50, using: &generator), now: now)
            forget()
        case 10..<40:
            trouble()
        case 40..<50:
            last = "refused"
            let count = Int.random(in: 1...30, using: &generator)
            refusals += count
            breaker.refused(count, now: now, random: generator.next())
        case 50..<55:
            last = "connections"
            ready = chance(60) ? Int.random(in: 1...8, using: &generator) : 0
            isNeeded = chance(50)
            if ready > 0 { failures = 0 }
            breaker.connectionsChanged(ready: ready, isNeeded: isNeeded, now: now)
        case 55..<60:
            last = "attempt"
            failures += 1
            breaker.attemptFailed("refused", now: now, random: generator.next())
        case 60..<62:
            last = "work"
            breaker.workCame(now: now)
        case 62..<63:
            last = "credential"
            if Bool.random(using: &generator) {
                breaker.credentialRefused(BreakerHarness.badKey, now: now, random: generator.next())
            } else {
                breaker.authorizationMissing("none", now: now, random: generator.next())
            }
        case 63..<80:
            return probe()
        default:
            last = "time"
            now = now + .milliseconds(Int.random(in: 0...2_000, using: &generator))
            let wasProbing = isProbing
            if let look = breaker.nextLook, wasProbing, breaker.health.isPaused, look <= now {
                isProbing = false
                dueBy = now + breaker.configuration.maximumPause
            }
            breaker.timerFired(now: now, random: generator.next())
        }
        return .none
    }

    private mutating func trouble() {
        last = "trouble"
        let slot = Int.random(in: 0...3, using: &generator)
        let retryAfter = chance(30) ? UInt32.random(in: 0...40, using: &generator) : nil
        let trouble = ProviderTrouble(
            kind: .overloaded, name: "ServiceUnavailable", isWeighty: chance(80), retryAfter: retryAfter)
        let isAlone = chance(10)
        troubles += 1
        if !breaker.health.isPaused {
            heard += 1
            if retryAfter != nil { asking += 1 }
        }
        slots.insert(slot)
        let wasPaused = breaker.health.isPaused
        _ = breaker.troubled(trouble, slot: slot, isAlone: isAlone, now: now, random: generator.next())
        if !wasPaused, breaker.health.isPaused {
            check(isAlone || slots.count > 1, "invariant 1: one connection of several condemned the provider")
        }
        if !wasPaused, breaker.health.isPaused, asking * 2 > heard, let retryAfter {
            notBefore = now + .seconds(Int(retryAfter))
        }
    }

    private mutating func probe() -> Ending {
        last = "probe"
        if isProbing {
            isProbing = false
            dueBy = now + breaker.configuration.maximumPause
            if chance(50) {
                breaker.probeEnded(nil, now: now, random: generator.next())
                return .served
            }
            breaker.probeEnded(BreakerHarness.unavailable, now: now, random: generator.next())
            return .failed
        }
        if breaker.allowance(now: now) == 1 {
            breaker.probeBegan(now: now)
            isProbing = true
        }
        return .none
    }
}
