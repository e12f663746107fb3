import EventCore
import Testing
import TimeCore

@Suite("For whom deliveries are looked for")
struct DeliveryWatchTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let names = (0..<100).map { "tenant-\($0)" }

    /// A class, because expectations change the machine.
    private final class Watch {
        var machine = DeliveryWatch(ticksForQuiet: 60)

        func wanted(_ number: Int, now: WallTime = now, hearsNews: Bool = true) -> [String] {
            machine.wanted(number, now: now, hearsNews: hearsNews)
        }
    }

    /// Returns a watch in which all tenants are quiet. Each tenant has its own place.
    private func quiet(next: WallTime? = nil) -> Watch {
        let watch = Watch()
        watch.machine.known(Self.names) { Self.names.firstIndex(of: $0)! }
        #expect(watch.wanted(1).count == Self.names.count, "nobody is known yet")
        for name in Self.names { watch.machine.looked(name, .quiet(next: next)) }
        return watch
    }

    @Test("Those who are quiet are looked at once in sixty ticks, some at each; in four when there is no news to hear")
    func sweep() {
        for (hearsNews, ticks) in [(true, 60), (false, 4)] {
            let watch = quiet()
            var (seen, most) = ([String: Int](), 0)
            for number in 0..<ticks {
                let looks = watch.wanted(number, hearsNews: hearsNews)
                most = max(most, looks.count)
                for name in looks { seen[name, default: 0] += 1 }
            }
            #expect(seen.count == Self.names.count && seen.values.allSatisfy { $0 == 1 })
            #expect(most <= Self.names.count / ticks + 1)
        }
    }

    @Test("News of a tenant has it looked at at the next tick, once, and so has the time of its next delivery")
    func wakes() {
        let watch = quiet(next: Self.now + .seconds(300))
        let number = 119
        let swept = Set(watch.wanted(number))
        watch.machine.heard(of: [7, 9, 255])
        let looks = Set(watch.wanted(number))
        #expect(looks == swept.union(["tenant-7", "tenant-9"]))
        #expect(Set(watch.wanted(number)) == swept)
        #expect(watch.wanted(number, now: Self.now + .seconds(300)).count == Self.names.count)
    }

    @Test("Whose events are due here is looked at at each tick, and whose are delivered elsewhere now and then")
    func due() {
        let watch = quiet()
        watch.machine.looked("tenant-1", .due)
        watch.machine.looked("tenant-2", .elsewhere)
        watch.machine.looked("tenant-3", nil)
        var seen: [String: Int] = [:]
        for number in 0..<12 {
            for name in watch.wanted(number) { seen[name, default: 0] += 1 }
        }
        #expect(seen["tenant-1"] == 12 && seen["tenant-2"] == 3 && seen["tenant-3"] == 12)
        // A tenant without a webhook is dropped, and is unknown when it gets one again.
        watch.machine.known(["tenant-4"]) { _ in 4 }
        #expect(Set(watch.wanted(0)).isSubset(of: ["tenant-4"]))
        watch.machine.known(["tenant-1", "tenant-4"]) { _ in 4 }
        #expect(watch.wanted(1) == ["tenant-1"])
    }
}
