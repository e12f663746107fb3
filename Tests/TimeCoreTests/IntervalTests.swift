import Testing
import TimeCore

@Suite("Intervals and the points in time that they lead to")
struct IntervalTests {
    @Test("Units agree with each other")
    func units() {
        #expect(TimeInterval.seconds(2) == .milliseconds(2000))
        #expect(TimeInterval.milliseconds(3) == .microseconds(3000))
        #expect(TimeInterval.seconds(0.25) == .milliseconds(250))
        #expect(TimeInterval.microseconds(1).nanoseconds == 1000)
        #expect(TimeInterval.seconds(3).inSeconds == 3)
    }

    @Test("A negative count is no time at all")
    func negative() {
        #expect(TimeInterval.seconds(-1) == .zero)
        #expect(TimeInterval.milliseconds(.min) == .zero)
        #expect(TimeInterval.microseconds(-5) == .zero)
        for value in [-1.0, -.infinity, .nan, 0] { #expect(TimeInterval.seconds(value) == .zero) }
    }

    @Test("A count that is too large saturates and never becomes a short time")
    func saturation() {
        for count in [Int.max, Int(UInt64.max / 1_000_000_000) + 1] {
            #expect(TimeInterval.seconds(count).nanoseconds == .max)
        }
        #expect(TimeInterval.milliseconds(.max).nanoseconds == .max)
        #expect(TimeInterval.microseconds(.max).nanoseconds == .max)
        #expect(TimeInterval.seconds(1e300) > .seconds(3_153_600_000))
    }

    @Test("Milliseconds are rounded up, so that nobody wakes too early")
    func rounding() {
        #expect(TimeInterval(nanoseconds: 0).millisecondsRoundedUp == 0)
        #expect(TimeInterval(nanoseconds: 1).millisecondsRoundedUp == 1)
        #expect(TimeInterval(nanoseconds: 1_000_000).millisecondsRoundedUp == 1)
        #expect(TimeInterval(nanoseconds: 1_000_001).millisecondsRoundedUp == 2)
        #expect(TimeInterval(nanoseconds: .max).millisecondsRoundedUp == UInt64.max / 1_000_000 + 1)
    }

    @Test("Monotonic time saturates at its end and counts no negative intervals")
    func monotonic() {
        let end = MonotonicTime(nanoseconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(MonotonicTime(nanoseconds: 5) + TimeInterval(nanoseconds: 7) == MonotonicTime(nanoseconds: 12))
        #expect(MonotonicTime(nanoseconds: 5) - MonotonicTime(nanoseconds: 7) == .zero)
        #expect(MonotonicTime(nanoseconds: 7) - MonotonicTime(nanoseconds: 5) == TimeInterval(nanoseconds: 2))
        let first = MonotonicTime.now()
        #expect(MonotonicTime.now() >= first)
    }

    @Test("Civil time saturates at both ends")
    func wall() {
        let end = WallTime(milliseconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(WallTime(seconds: .max) == end)
        #expect(WallTime(seconds: .min) == WallTime(milliseconds: .min))
        #expect(WallTime(milliseconds: 10) + .milliseconds(5) == WallTime(milliseconds: 15))
        #expect(WallTime(milliseconds: 0) + TimeInterval(nanoseconds: .max) > WallTime(milliseconds: 0))
    }

    @Test(
        "Seconds are cut towards the past",
        arguments: [
            (0, 0), (999, 0), (1000, 1), (-1, -1), (-999, -1), (-1000, -1), (-1001, -2),
            (Int64.min, Int64.min / 1000 - 1),
        ])
    func seconds(milliseconds: Int64, seconds: Int64) {
        #expect(WallTime(milliseconds: milliseconds).seconds == seconds)
    }
}
