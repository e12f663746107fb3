import Reactor
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Redis's clock")
struct StoreClockTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + UInt64(milliseconds) * 1_000_000)
    }

    @Test("Before the first answer nothing is known; then the time goes on with the monotonic clock")
    func first() {
        var estimator = ClockEstimator()
        #expect(estimator.time(at: Self.at(0)) == nil)
        estimator.answered(1_700_000_000_000_000, sent: Self.at(0), received: Self.at(2))
        #expect(estimator.time(at: Self.at(1))?.milliseconds == 1_700_000_000_000)
        #expect(estimator.time(at: Self.at(60_001))?.milliseconds == 1_700_000_060_000)
    }

    @Test("A slow answer does not spoil what a quick one has told, and a quick one corrects a slow one")
    func bounds() {
        var estimator = ClockEstimator()
        // The answer took 1,000 ms, so Redis's clock shows 5,000 to 6,000 ms on its arrival.
        estimator.answered(5_000_000, sent: Self.at(0), received: Self.at(1000))
        #expect(estimator.time(at: Self.at(1000))?.milliseconds == 5500)
        estimator.answered(6_000_000, sent: Self.at(1000), received: Self.at(1001))
        let exact = estimator.time(at: Self.at(1001))?.milliseconds ?? 0
        #expect((6000...6001).contains(exact))
        estimator.answered(6_010_000, sent: Self.at(1002), received: Self.at(3002))
        #expect((estimator.time(at: Self.at(1001))?.milliseconds ?? 0) - exact == 0)
    }

    @Test("The bounds hold the time, whichever way the answer was slow, and drift widens them")
    func between() {
        var estimator = ClockEstimator()
        #expect(estimator.bounds(at: Self.at(0)) == nil)
        estimator.answered(5_000_000, sent: Self.at(0), received: Self.at(600))
        let first = estimator.bounds(at: Self.at(600))
        #expect((4999...5000).contains(first?.earliest.milliseconds ?? 0))
        #expect((5600...5601).contains(first?.latest.milliseconds ?? 0))
        let later = estimator.bounds(at: Self.at(10_600))
        #expect((14_989...14_990).contains(later?.earliest.milliseconds ?? 0))
        #expect((15_610...15_611).contains(later?.latest.milliseconds ?? 0))
    }

    @Test(
        "When Redis's clock is set, forwards or back, it is followed with the next answer",
        arguments: [-3_600_000, 3_600_000])
    func jump(by: Int) {
        var estimator = ClockEstimator()
        #expect(estimator.answered(90_000_000_000, sent: Self.at(0), received: Self.at(1)) == nil)
        #expect(estimator.answered(90_001_000_000, sent: Self.at(1000), received: Self.at(1001)) == nil)
        let step = estimator.answered(
            90_005_000_000 + Int64(by) * 1000, sent: Self.at(5000), received: Self.at(5001))
        #expect(abs((step ?? 0) / 1000 - Int64(by)) <= 1)
        #expect(abs((estimator.time(at: Self.at(5000))?.milliseconds ?? 0) - (90_005_000 + Int64(by))) <= 1)
    }

    @Test("Walks at random: never wrong by more than the best answer's trip and the drift since; hardly ever back")
    func walk() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            var estimator = ClockEstimator()
            let drift = Double.random(in: -400...400, using: &random) / 1_000_000
            func redis(_ milliseconds: Double) -> Double { 1_000_000 + milliseconds * (1 + drift) }
            var now = 0.0
            var last: Int64 = 0
            var best = Double.infinity
            for _ in 0..<100 {
                now += Double.random(in: 100...5000, using: &random)
                let there = Double.random(in: 0.1...80, using: &random)
                let back = Double.random(in: 0.1...80, using: &random)
                let sent = Self.at(0) + .seconds(now / 1000)
                let received = Self.at(0) + .seconds((now + there + back) / 1000)
                estimator.answered(Int64(redis(now + there) * 1000), sent: sent, received: received)
                now += there + back
                best = min(best + 10, there + back)
                let estimate = estimator.time(at: received)?.milliseconds ?? 0
                #expect(abs(Double(estimate) - redis(now)) <= best + 3)
                #expect(estimate >= last - 160)
                let bounds = estimator.bounds(at: received)
                #expect(Double(bounds?.earliest.milliseconds ?? .max) <= redis(now))
                #expect(Double(bounds?.latest.milliseconds ?? .min) >= redis(now) - 1)
                last = estimate
            }
        }
    }

    @Test("The machine's clock may jump: Redis's time does not, the skew is seen, and work is taken again afterwards")
    func machineClock() {
        let local = Locked(WallTime(milliseconds: 1_000_000))
        let monotonic = Locked(Self.at(0))
        let clock = StoreClock(
            maximumSkew: .seconds(300), local: { local.withLock { $0 } }, monotonic: { monotonic.withLock { $0 } })
        #expect(clock.state == .unknown && clock.skew == nil)
        #expect(clock.now == WallTime(milliseconds: 1_000_000))
        clock.answered(1_000_000_000, sent: Self.at(0), received: Self.at(0))
        #expect(clock.state == .trusted && clock.skew == 0)
        local.withLock { $0 = WallTime(milliseconds: 1_000_000 + 10_800_000) }
        #expect(clock.now == WallTime(milliseconds: 1_000_000))
        #expect(clock.state == .skewed && clock.skew == 10_800_000)
        local.withLock { $0 = WallTime(milliseconds: 1_000_000 - 300_000) }
        #expect(clock.state == .trusted)
        local.withLock { $0 = WallTime(milliseconds: 1_000_000 - 300_001) }
        #expect(clock.state == .skewed && clock.skew == -300_001)
    }

    @Test("A real Redis tells its time")
    func real() async throws {
        try await StoreStage.run { stage in
            let clock = StoreClock(maximumSkew: .seconds(60))
            await stage.store.sample(clock)
            #expect(clock.state == .trusted)
        }
    }
}
