import Testing
import TimeCore

@testable import LoadTest

@Suite("Arrivals")
struct ArrivalTests {
    private func times(
        _ pattern: ArrivalPattern, calls: Int = .max, duration: TimeInterval? = nil, seed: UInt64 = 7
    ) -> [Double] {
        var schedule = ArrivalSchedule(
            pattern, calls: calls, duration: duration, generator: SplitMix64(seed: seed))
        var times: [Double] = []
        while let next = schedule.next, times.count < 1_000_000 {
            times.append(next.inSeconds)
            schedule.advance()
        }
        return times
    }

    @Test("Uniform arrivals come at even steps, without adding up errors")
    func uniform() {
        let times = times(.uniform(perSecond: 3), duration: .seconds(1000))
        #expect(times.count == 3000)
        for (index, time) in times.enumerated() { #expect(abs(time - Double(index) / 3) < 1e-6) }
    }

    @Test("Poisson arrivals have exponential gaps: as many on average, and as much spread as the mean")
    func poisson() {
        let times = times(.poisson(perSecond: 50), calls: 50_000)
        #expect(times.count == 50_000)
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        #expect(abs(mean - 0.02) < 0.0005)
        #expect(abs(variance.squareRoot() - 0.02) < 0.001)
        // A share of 1/e of exponential gaps exceeds the mean.
        let long = Double(gaps.count { $0 > 0.02 }) / Double(gaps.count)
        #expect(abs(long - 0.3679) < 0.01)
    }

    @Test("A spread gives each call a slot of its own, all within the time")
    func spread() {
        let times = times(.spread(calls: 1000, within: .seconds(10)))
        #expect(times.count == 1000)
        for (index, time) in times.enumerated() {
            #expect(time >= Double(index) * 0.01 - 1e-6 && time < Double(index + 1) * 0.01 + 1e-6)
        }
        // The places within their slots vary.
        let places = times.enumerated().map { $1 * 100 - Double($0) }
        #expect((places.max() ?? 0) > 0.9 && (places.min() ?? 1) < 0.1)
    }

    @Test("Calls and duration both end a schedule, and times never go back")
    func limits() {
        #expect(times(.uniform(perSecond: 10), calls: 5, duration: .seconds(10)).count == 5)
        #expect(times(.uniform(perSecond: 10), calls: 500, duration: .seconds(10)).count == 100)
        #expect(times(.spread(calls: 7, within: .seconds(1)), calls: 3).count == 3)
        #expect(times(.poisson(perSecond: 10), calls: 0).isEmpty)
        for pattern in [ArrivalPattern.poisson(perSecond: 1e5), .spread(calls: 10_000, within: .seconds(1))] {
            let times = times(pattern, calls: 10_000)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test("The last time is known beforehand, and walking to it takes nothing away")
    func last() {
        let pattern = ArrivalPattern.poisson(perSecond: 10)
        let schedule = ArrivalSchedule(pattern, calls: 100, duration: nil, generator: SplitMix64(seed: 7))
        #expect(schedule.last?.inSeconds == times(pattern, calls: 100).last)
        #expect(schedule.next?.inSeconds == times(pattern, calls: 100).first)
    }

    @Test("The same seed gives the same times, another one others")
    func seeds() {
        let pattern = ArrivalPattern.poisson(perSecond: 10)
        #expect(times(pattern, calls: 100, seed: 1) == times(pattern, calls: 100, seed: 1))
        #expect(times(pattern, calls: 100, seed: 1) != times(pattern, calls: 100, seed: 2))
    }
}
