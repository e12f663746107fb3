import Testing
import TimeCore

@testable import GatewayAPI

@Suite("Whether an event loop is awake")
struct WakefulnessTests {
    private func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("A loop that runs is awake, however busy it is")
    func running() {
        var wakefulness = Wakefulness(now: at(0))
        var time = 0
        for step in [0, 1, 999, 1000, 2500, 3999, 4000, 0] {
            time += step
            wakefulness.turn(at(time))
            #expect(wakefulness.isAwake)
        }
    }

    @Test("After a sleep it is not, for as long as it reads what has come meanwhile; another sleep begins anew")
    func asleep() {
        var wakefulness = Wakefulness(now: at(0))
        for (time, isAwake) in [
            (1000, true), (13_000, false), (13_000, false), (13_999, false), (14_000, true), (15_000, true),
            (19_001, false), (23_002, false), (24_001, false), (24_002, true), (24_000, true),
        ] {
            wakefulness.turn(at(time))
            #expect(wakefulness.isAwake == isAwake, "\(time)")
        }
    }
}
