import BroadcastCore
import TestSupport
import Testing
import TimeCore

@Suite("The leases of a gateway's jobs")
struct JobLeasesTests {
    private static let start = Stage.start

    private func leases(_ perLane: [Int] = [2, 1]) -> JobLeases<Int> { JobLeases(JobLeases.Limits(perLane: perLane)) }

    @Test("Invariant 1: a job is held once, from when it is taken until it has ended")
    func once() {
        var leases = leases()
        let isNew = (0..<2).map { _ in leases.taken(1, lane: 0, group: 0, sentAt: Self.start) }
        #expect(isNew == [true, false])
        #expect(leases.contains(1) && leases.room(0) == 1 && leases.room(1) == 1)
        leases.ended(1)
        leases.ended(1)
        #expect(!leases.contains(1) && leases.isEmpty && leases.room(0) == 2)
    }

    @Test("Invariant 2: a job that waits for its turn takes no room, and those that wait are bounded")
    func waiting() {
        var limits = JobLeases<Int>.Limits(perLane: [1])
        limits.waiting = 2
        var leases = JobLeases(limits)
        for job in 1...2 {
            #expect(leases.room(0) == 1 && leases.canWait)
            _ = leases.taken(job, lane: 0, group: 0, sentAt: Self.start)
            #expect(leases.room(0) == 0)
            leases.mustWait(job)
            leases.mustWait(job)
        }
        // The jobs for which they wait can still be taken.
        #expect(leases.room(0) == 1 && !leases.canWait)
        leases.isDue(1)
        #expect(leases.room(0) == 0 && leases.canWait)
        leases.ended(1)
        leases.ended(2)
        #expect(leases.isEmpty && leases.room(0) == 1 && leases.canWait)
    }

    @Test("Invariant 2: a job of which only retries are left takes no room until one is due; so many may rest")
    func resting() {
        var limits = JobLeases<Int>.Limits(perLane: [1, 1])
        limits.restingPerLane = [2, 0]
        var leases = JobLeases(limits)
        for (job, isGranted) in [(1, true), (2, true), (3, false)] {
            _ = leases.taken(job, lane: 0, group: 0, sentAt: Self.start)
            let rests = leases.rests(job)
            #expect(rests == isGranted)
            #expect(leases.room(0) == (isGranted ? 1 : 0))
        }
        #expect(leases.canWait && leases.contains(1))
        // The job goes on, although its place has been given away.
        leases.isDue(1)
        leases.ended(3)
        #expect(leases.room(0) == 0)
        let restsAgain = leases.rests(1)
        #expect(restsAgain && leases.room(0) == 1)
        leases.ended(1)
        leases.ended(2)
        #expect(leases.isEmpty && leases.room(0) == 1)
        _ = leases.taken(4, lane: 1, group: 0, sentAt: Self.start)
        let restsElsewhere = leases.rests(4)
        #expect(!restsElsewhere && leases.room(1) == 0)
    }

    @Test("Invariant 3: a gateway holds still before the store gives its oldest job away")
    func stillness() {
        var leases = leases([9])
        let limits = leases.limits
        #expect(limits.caution < limits.silence && limits.renewal < limits.caution)
        #expect(leases.mayWork(Self.start + .seconds(1000)) && !leases.needsRenewal(Self.start + .seconds(1000)))
        _ = leases.taken(1, lane: 0, group: 0, sentAt: Self.start)
        // A job that is taken later does not speak for the older one.
        _ = leases.taken(2, lane: 0, group: 0, sentAt: Self.start + .seconds(3))
        func mayWork(_ seconds: Int) -> Bool { leases.mayWork(on: 1, Self.start + .seconds(seconds)) }
        #expect(leases.mayWork(on: 1, Self.start + .milliseconds(3999)) && !mayWork(4))
        #expect(leases.needsRenewal(Self.start + .milliseconds(1500)))
        leases.renewed(0, sentAt: Self.start + .seconds(5))
        #expect(mayWork(8) && !mayWork(9))
        // An answer that comes late says nothing new.
        leases.renewed(0, sentAt: Self.start + .seconds(2))
        #expect(mayWork(8) && leases.mayWork(Self.start + .seconds(8)) && !leases.mayWork(Self.start + .seconds(9)))
        leases.ended(1)
        leases.ended(2)
        leases.renewed(0, sentAt: Self.start)
        #expect(leases.mayWork(Self.start + .seconds(1000)))
        _ = leases.taken(3, lane: 0, group: 0, sentAt: Self.start + .seconds(1000))
        #expect(leases.mayWork(on: 3, Self.start + .seconds(1003)))
    }

    @Test("Invariant 3: a part of the store that does not answer stops its own jobs alone")
    func parts() {
        var leases = leases([9])
        for group in 0..<2 { _ = leases.taken(group, lane: 0, group: group, sentAt: Self.start) }
        leases.renewed(1, sentAt: Self.start + .seconds(3))
        let later = Self.start + .seconds(5)
        #expect(leases.mayWork(later) && !leases.mayWork(on: 0, later) && leases.mayWork(on: 1, later))
        #expect(leases.needsRenewal(later))
        leases.ended(0)
        #expect(!leases.mayWork(on: 0, later) && leases.mayWork(later) && leases.mayWork(on: 1, later))
        leases.renewed(1, sentAt: later)
        #expect(!leases.needsRenewal(later))
    }

    @Test("Random walks: capacity is what the model says", arguments: 0..<20)
    func walk(number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let perLane = [3, 1, 2]
        var leases = leases(perLane)
        var model: [Int: (lane: Int, waits: Bool)] = [:]
        for step in 0..<2000 {
            let job = Int.random(in: 0..<12, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let lane = Int.random(in: 0..<3, using: &generator)
                let isNew = leases.taken(job, lane: lane, group: 0, sentAt: Self.start)
                #expect(isNew == (model[job] == nil), "seed \(seed)")
                if model[job] == nil { model[job] = (lane, false) }
            case 1:
                leases.mustWait(job)
                model[job]?.waits = true
            case 3:
                let rests = leases.rests(job)
                #expect(rests == (model[job]?.waits == false), "seed \(seed)")
                model[job]?.waits = true
            case 2:
                leases.isDue(job)
                model[job]?.waits = false
            default:
                leases.ended(job)
                model[job] = nil
            }
            for lane in 0..<3 {
                let atWork = model.values.count { $0.lane == lane && !$0.waits }
                #expect(leases.room(lane) == max(0, perLane[lane] - atWork), "seed \(seed), step \(step)")
            }
            #expect(Set(leases.all) == Set(model.keys), "seed \(seed)")
        }
    }
}
