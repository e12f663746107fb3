import BroadcastCore
import Testing
import TimeCore

@Suite("Which shards are looked at")
struct ShardWatchTests {
    private static let start = Stage.start
    private static let wall = WallTime(seconds: 1_700_000_000)
    private static let count = 64

    /// A class, because expectations change the machine.
    private final class Watch {
        var machine = ShardWatch(shards: ShardWatchTests.count)

        func wanted(_ now: MonotonicTime, wallClock: WallTime = wall, includesBusy: Bool = true) -> ShardWatch.Wanted {
            machine.wanted(now, wallClock: wallClock, includesBusy: includesBusy)
        }

        func looks(at wallClock: WallTime = wall, includesBusy: Bool = true) -> [Int] {
            wanted(start, wallClock: wallClock, includesBusy: includesBusy).looks
        }

        func lookBegan(_ shard: Int) { machine.lookBegan(shard) }

        @discardableResult
        func looked(_ shard: Int, _ finding: ShardWatch.Finding = .quiet(nextDue: nil), isRegular: Bool = true) -> Bool
        {
            machine.looked(shard, finding, isRegular: isRegular)
        }

        func heard(of shards: [Int] = [], _ now: MonotonicTime = start) { machine.heard(of: shards, now) }
    }

    /// Returns a watch that has found all shards quiet and has received news.
    private func quiet(nextDue: WallTime? = nil) -> Watch {
        let watch = Watch()
        watch.heard()
        for shard in 0..<Self.count {
            watch.lookBegan(shard)
            watch.looked(shard, .quiet(nextDue: nextDue))
        }
        // Completes the first sweep.
        _ = watch.wanted(Self.start)
        return watch
    }

    @Test("Quiet shards cost an idle gateway fewer than 80 commands a second, and each is seen every 1.5 s")
    func cost() {
        let watch = quiet()
        var (commands, most, seen, looked) = (0, 0, [Int: MonotonicTime](), [Int: MonotonicTime]())
        let (ticks, rhythm) = (600, ShardWatch.Rhythm())
        let longest = TimeInterval(nanoseconds: rhythm.sweep.nanoseconds * UInt64(rhythm.sweepsForLook + 1))
        for tick in 0..<ticks {
            let now = Self.start + .milliseconds(100 * tick)
            watch.heard(of: [], now)
            let wanted = watch.wanted(now, includesBusy: tick % 3 == 0)
            // A look is a script with two commands; news cost one command.
            commands += 3 * wanted.looks.count + wanted.glances.count + 1
            most = max(most, wanted.looks.count + wanted.glances.count)
            for shard in wanted.looks {
                watch.lookBegan(shard)
                watch.looked(shard)
                if let last = looked[shard] { #expect(now - last <= longest) }
                looked[shard] = now
            }
            for shard in wanted.looks + wanted.glances {
                if let last = seen[shard] { #expect(now - last <= .milliseconds(1600)) }
                seen[shard] = now
            }
        }
        #expect(commands * 10 / ticks < 80, "\(commands * 10 / ticks) a second")
        #expect(most <= 6, "all at once: \(most)")
        #expect(seen.count == Self.count && looked.count == Self.count)
    }

    @Test("A quiet shard is looked at from the moment on when its next item is due, whatever the clock has done")
    func due() {
        let time = Self.wall + .seconds(3600)
        var watch = quiet(nextDue: time)
        #expect(watch.looks().isEmpty)
        #expect(watch.looks(at: WallTime(milliseconds: time.milliseconds - 1)).isEmpty)
        #expect(watch.looks(at: time, includesBusy: false) == Array(0..<Self.count))
        // A second item is due sooner than the first.
        watch = quiet(nextDue: time)
        watch.machine.isDue(7, at: Self.wall + .seconds(60))
        watch.machine.isDue(7, at: Self.wall + .seconds(90))
        #expect(watch.looks(at: Self.wall + .seconds(60)) == [7])
    }

    @Test("What is told while a look is under way is not lost by what the look finds")
    func overtaken() {
        let watch = quiet()
        let tellings: [(inout ShardWatch) -> Void] = [
            { $0.stirred(3) }, { $0.heard(of: [3], Self.start) }, { $0.isDue(3, at: Self.wall) },
        ]
        for (number, tell) in tellings.enumerated() {
            watch.lookBegan(3)
            tell(&watch.machine)
            watch.looked(3, isRegular: false)
            #expect(watch.looks() == [3], "\(number)")
            watch.lookBegan(3)
            watch.looked(3)
            #expect(watch.looks().isEmpty, "\(number)")
        }
    }

    @Test("A shard that is not quiet, or does not answer, is looked at at each tick that is for those")
    func busy() {
        let watch = quiet()
        watch.machine.lookFailed(5)
        #expect(watch.looks() == [5])
        watch.lookBegan(5)
        watch.looked(5, .busy)
        for _ in 0..<3 { #expect(watch.looks() == [5]) }
    }

    @Test("Without news all shards are looked at, as if none were quiet")
    func deaf() {
        var watch = Watch()
        #expect(watch.looks().count == Self.count)
        watch = quiet()
        let later = Self.start + .seconds(1)
        #expect(watch.wanted(later).looks.count == Self.count)
        watch.heard(of: [], later)
        #expect(watch.wanted(later).looks.isEmpty)
    }

    @Test("Others are told once of what is still there at the next tick, and not of what they have told")
    func telling() {
        let watch = quiet()
        // Work that begins here and ends at once is not announced.
        #expect(!watch.looked(1, .busy, isRegular: false))
        #expect(!watch.looked(1))
        // A busy shard is read at every tick until it is announced.
        #expect(!watch.looked(1, .busy, isRegular: false))
        #expect(watch.looks(includesBusy: false) == [1])
        #expect(!watch.looked(1, .busy, isRegular: false))
        #expect(watch.looked(1, .busy))
        #expect(!watch.looked(1, .busy))
        #expect(watch.looks(includesBusy: false).isEmpty)
        // Other gateways have announced this shard.
        watch.heard(of: [2])
        watch.lookBegan(2)
        #expect(!watch.looked(2, .busy))
        #expect(!watch.looked(2, .busy))
        // Its next work is announced again.
        watch.looked(2)
        watch.looked(2, .busy)
        #expect(watch.looked(2, .busy))
    }
}
