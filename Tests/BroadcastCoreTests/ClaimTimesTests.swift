import BroadcastCore
import Testing
import TimeCore

@Suite("When jobs of silent gateways are taken")
struct ClaimTimesTests {
    private static let start = Stage.start
    private static let usual = TimeInterval.seconds(6)
    private static let never = TimeInterval.seconds(3600)

    @Test("A gateway that has just begun takes them at once, and so does one whose store answers all the time")
    func usual() {
        var times = ClaimTimes()
        for tick in 0..<100 {
            let now = Self.start + .milliseconds(tick * 300)
            #expect(times.silence(7, now: now, usual: Self.usual) == Self.usual)
            times.answered(7, now: now + .milliseconds(1))
        }
    }

    @Test("One that was cut off from a shard leaves its jobs alone for a while, so that their gateways come back first")
    func outage() {
        var times = ClaimTimes()
        times.answered(7, now: Self.start)
        times.answered(8, now: Self.start)
        let back = Self.start + .seconds(9)
        times.answered(8, now: back)
        #expect(times.silence(7, now: back, usual: Self.usual) == Self.never)
        times.answered(7, now: back)
        for (seconds, silence) in [(1, Self.never), (2, Self.never), (3, Self.never), (4, Self.usual), (5, Self.usual)]
        {
            let now = back + .seconds(seconds)
            #expect(times.silence(7, now: now, usual: Self.usual) == silence, "after \(seconds) s")
            times.answered(7, now: now)
        }
        // A shard that has answered on time is not concerned.
        #expect(times.silence(9, now: back, usual: Self.usual) == Self.usual)
    }

    @Test("Claims in a shard keep a pause, also without answers; other shards keep their own")
    func pause() {
        var times = ClaimTimes()
        var claims: [Int] = []
        for tick in 0..<100 {
            let now = Self.start + .milliseconds(tick * 10)
            if times.silence(7, now: now, usual: Self.usual) != nil { claims.append(tick) }
            if tick > 30 { times.answered(7, now: now) }
        }
        #expect(claims == [0, 20, 40, 60, 80])
        #expect(times.silence(8, now: Self.start, usual: Self.usual) == Self.usual)
    }
}
