import Testing
import TimeCore

@testable import GatewayAPI

@Suite("Stalls of an event loop")
struct StallDetectorTests {
    private func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("A loop that runs has no stall")
    func running() {
        var stalls = StallDetector(now: at(0))
        var time = 0
        for step in [0, 1, 250, 499, 500, 0] {
            time += step
            stalls.turn(at(time))
            #expect(stalls.recent == .nothing)
        }
    }

    @Test("A stall is known for as long as the loop reads what has come meanwhile; another stall begins anew")
    func stalls() {
        var stalls = StallDetector(now: at(0))
        for (time, stall) in [
            (250, .nothing), (12_250, .long), (12_250, .long), (12_750, .long), (13_249, .long), (13_250, .nothing),
            (17_251, .long), (21_252, .long), (21_752, .long), (22_251, .long), (22_252, .nothing), (22_000, .nothing),
        ] as [(Int, StallDetector.Stall)] {
            stalls.turn(at(time))
            #expect(stalls.recent == stall, "\(time)")
        }
    }

    @Test("A brief stall is distinguished from a long one, and does not lengthen it")
    func brief() {
        var stalls = StallDetector(now: at(0))
        for (time, stall) in [
            (501, .brief), (1000, .brief), (1500, .brief), (1501, .nothing), (5501, .brief), (9502, .long),
            (10_003, .long), (10_502, .brief), (11_002, .brief), (11_003, .nothing),
        ] as [(Int, StallDetector.Stall)] {
            stalls.turn(at(time))
            #expect(stalls.recent == stall, "\(time)")
        }
    }
}
