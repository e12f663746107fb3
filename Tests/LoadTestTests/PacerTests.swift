import Testing
import TimeCore

@testable import LoadTest

@Suite("The pacer")
struct PacerTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
    }

    /// A call each ten milliseconds.
    private func pacer(calls: Int, bound: Int) -> Pacer {
        let schedule = ArrivalSchedule(
            .uniform(perSecond: 100), calls: calls, duration: nil, generator: SplitMix64(seed: 1))
        return Pacer(.open(schedule), start: time(0), bound: bound)
    }

    @Test("No call before its time, and the time to look again is that of the next")
    func notBefore() {
        var pacer = pacer(calls: 3, bound: 8)
        #expect(pacer.due(at: time(0)) == time(0))
        pacer.callSent(due: time(0), at: time(0))
        #expect(pacer.due(at: time(9)) == nil)
        #expect(pacer.wakeTime == time(10))
        #expect(pacer.due(at: time(10)) == time(10))
        #expect(pacer.punctuality == Pacer.Punctuality())
    }

    @Test("Invariants 1 and 3: a stall moves no time due; what waited for the bound is counted as that")
    func stall() {
        var pacer = pacer(calls: 20, bound: 2)
        for milliseconds in [0, 10] {
            let due = pacer.due(at: time(milliseconds))
            #expect(due == time(milliseconds))
            pacer.callSent(due: time(milliseconds), at: time(milliseconds))
        }
        // The gateway stalls for 100 ms: nothing more is due for sending, however much is due by the clock.
        #expect(pacer.due(at: time(100)) == nil)
        #expect(pacer.wakeTime == nil)
        var dues: [MonotonicTime] = []
        for _ in 0..<8 {
            pacer.callEnded(at: time(100))
            guard let due = pacer.due(at: time(100)) else { break }
            dues.append(due)
            pacer.callSent(due: due, at: time(100))
            #expect(pacer.underWay == 2)
        }
        #expect(dues == [20, 30, 40, 50, 60, 70, 80, 90].map(time))
        #expect(
            pacer.punctuality == Pacer.Punctuality(late: 8, heldByBound: 8, heldByPlayer: 0, worst: .milliseconds(80)))
        // In time again.
        pacer.callEnded(at: time(101))
        pacer.callEnded(at: time(101))
        #expect(pacer.due(at: time(110)) == time(100))
        pacer.callSent(due: time(100), at: time(100))
        #expect(pacer.punctuality.late == 8)
    }

    @Test("Lateness without the bound is the generator's own, or the player's who had nothing to call")
    func otherCauses() {
        var pacer = pacer(calls: 4, bound: 8)
        pacer.callSent(due: time(0), at: time(5))
        #expect(
            pacer.punctuality == Pacer.Punctuality(late: 1, heldByBound: 0, heldByPlayer: 0, worst: .milliseconds(5)))
        pacer.playerHeld(at: time(20))
        pacer.callSent(due: time(10), at: time(22))
        #expect(
            pacer.punctuality == Pacer.Punctuality(late: 2, heldByBound: 0, heldByPlayer: 1, worst: .milliseconds(12)))
    }

    @Test("Calls that are never sent are given up once each, those that are not due yet never")
    func givenUp() {
        var pacer = pacer(calls: 10, bound: 1)
        pacer.callSent(due: time(0), at: time(0))
        var dues: [MonotonicTime] = []
        while let due = pacer.giveUpNext(at: time(45)) { dues.append(due) }
        #expect(dues == [10, 20, 30, 40].map(time))
        #expect(!pacer.isExhausted)
        while pacer.giveUpNext(at: time(1000)) != nil {}
        #expect(pacer.isExhausted)
    }

    @Test("A closed pace has a call due whenever there is room, so many in all, and none is ever late")
    func closed() {
        var pacer = Pacer(.closed(calls: 3), start: time(0), bound: 2)
        #expect(pacer.due(at: time(50)) == time(50))
        pacer.callSent(due: time(50), at: time(50))
        pacer.callSent(due: time(50), at: time(50))
        #expect(pacer.due(at: time(60)) == nil)
        pacer.callEnded(at: time(70))
        #expect(pacer.due(at: time(70)) == time(70))
        pacer.callSent(due: time(70), at: time(70))
        pacer.callEnded(at: time(80))
        #expect(pacer.due(at: time(80)) == nil && pacer.isExhausted)
        #expect(pacer.punctuality.late == 0)
    }
}
