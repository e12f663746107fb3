import Delivery
import HealthCore
import TimeCore

/// A breaker with its own clock.
struct BreakerHarness {
    var breaker: CircuitBreaker
    var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var random: UInt64 = .max
    var advice = CircuitBreaker.Advice.none

    static let unavailable = ProviderTrouble(kind: .overloaded, name: "ServiceUnavailable")
    static let busyDevice = ProviderTrouble(kind: .overloaded, name: "TooManyRequests", isWeighty: false)
    static let badKey = ProviderTrouble(kind: .credential, name: "InvalidProviderToken")

    init(ready: Int = 4) {
        breaker = CircuitBreaker()
        breaker.connectionsChanged(ready: ready, isNeeded: true, now: now)
    }

    mutating func pass(_ interval: TimeInterval) {
        now = now + interval
        breaker.timerFired(now: now, random: random)
    }

    mutating func trouble(
        _ trouble: ProviderTrouble = BreakerHarness.unavailable, _ count: Int = 1, slots: [Int] = [0, 1],
        isAlone: Bool = false, pauses: Bool = true
    ) {
        for index in 0..<count {
            let advice = breaker.troubled(
                trouble, slot: slots[index % slots.count], isAlone: isAlone, pauses: pauses, now: now,
                random: random)
            if advice != .none { self.advice = advice }
        }
    }

    mutating func probe(_ trouble: ProviderTrouble?) {
        breaker.probeBegan(now: now)
        breaker.probeEnded(trouble, now: now, random: random)
    }

    /// Passes time until a probe is due. Returns the time passed.
    mutating func waitForProbe() -> TimeInterval {
        let began = now
        while breaker.allowance(now: now) == 0 { pass(.milliseconds(10)) }
        return now - began
    }

    var reason: PauseReason? {
        if case .paused(let reason, _) = breaker.health { reason } else { nil }
    }
}
