import MetricsCore
import TestSupport
import Testing

@Suite("Histograms of times")
struct LatencyHistogramTests {
    @Test("A time that equals a bound is counted below it, one nanosecond more above it")
    func bounds() {
        for index in 0..<21 {
            let bound = LatencyHistogram.unit << UInt64(index)
            var histogram = LatencyHistogram()
            histogram.record(nanoseconds: bound)
            histogram.record(nanoseconds: bound + 1)
            let snapshot = histogram.snapshot()
            #expect(snapshot.buckets[index].bound == bound)
            #expect(snapshot.buckets[index].count == 1)
            #expect(index == 20 ? snapshot.beyond == 1 : snapshot.buckets[index + 1].count == 1)
            #expect(snapshot.count == 2 && snapshot.sum == 2 * bound + 1)
        }
    }

    @Test("The shortest and the longest times have a bucket")
    func extremes() {
        var histogram = LatencyHistogram(bounds: 3)
        for time: UInt64 in [0, 1, .max] { histogram.record(nanoseconds: time) }
        let snapshot = histogram.snapshot()
        #expect(snapshot.buckets.map(\.count) == [2, 0, 0] && snapshot.beyond == 1)
    }

    @Test("Buckets that are dropped are counted with the one that follows, and nothing is lost")
    func dropped() {
        var histogram = LatencyHistogram(bounds: 6)
        for index in 0..<8 { histogram.record(nanoseconds: LatencyHistogram.unit << UInt64(index)) }
        let whole = histogram.snapshot()
        let part = histogram.snapshot(droppingFirst: 3)
        #expect(part.buckets.map(\.bound) == whole.buckets.dropFirst(3).map(\.bound))
        #expect(part.buckets.first?.count == 4 && part.count == whole.count && part.sum == whole.sum)
    }

    @Test("Random times are counted as a search through the bounds counts them")
    func againstSearch() {
        var histogram = LatencyHistogram()
        var random = TestSeed.generator()
        var expected = [UInt64](repeating: 0, count: 22)
        let bounds = (0..<21).map { LatencyHistogram.unit << UInt64($0) }
        for _ in 0..<20_000 {
            let time = UInt64.random(in: 0...(.max >> UInt64.random(in: 20...60, using: &random)), using: &random)
            histogram.record(nanoseconds: time)
            expected[bounds.firstIndex { time <= $0 } ?? 21] += 1
        }
        let snapshot = histogram.snapshot()
        #expect(snapshot.buckets.map(\.count) + [snapshot.beyond] == expected)
    }

    @Test("Histograms of different bounds add up to one that has all of them")
    func sums() {
        var left = LatencyHistogram(bounds: 4)
        var right = LatencyHistogram(bounds: 6)
        for index in 0..<8 {
            left.record(nanoseconds: LatencyHistogram.unit << UInt64(index))
            right.record(nanoseconds: LatencyHistogram.unit << UInt64(index))
        }
        var sum = left.snapshot(droppingFirst: 1)
        sum.add(right.snapshot())
        #expect(sum.count == 16 && sum.buckets.count == 6)
        #expect(sum.buckets.map(\.bound) == sum.buckets.map(\.bound).sorted())
    }
}
