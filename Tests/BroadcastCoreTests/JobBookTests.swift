import BroadcastCore
import TestSupport
import Testing
import TimeCore

@Suite("The book of a gateway's jobs")
struct JobBookTests {
    private static let start = Stage.start

    private func book(_ perLane: [Int] = [2, 1]) -> JobBook<Int> { JobBook(JobBook.Limits(perLane: perLane)) }

    @Test("Invariant 1: a job is in the book once, from when it is taken until it has ended")
    func once() {
        var book = book()
        let isNew = (0..<2).map { _ in book.taken(1, lane: 0, sentAt: Self.start) }
        #expect(isNew == [true, false])
        #expect(book.contains(1) && book.room(0) == 1 && book.room(1) == 1)
        book.ended(1)
        book.ended(1)
        #expect(!book.contains(1) && book.isEmpty && book.room(0) == 2)
    }

    @Test("Invariant 2: a job that waits for its turn takes no room, and those that wait are bounded")
    func waiting() {
        var limits = JobBook<Int>.Limits(perLane: [1])
        limits.waiting = 2
        var book = JobBook(limits)
        for job in 1...2 {
            #expect(book.room(0) == 1 && book.canWait)
            _ = book.taken(job, lane: 0, sentAt: Self.start)
            #expect(book.room(0) == 0)
            book.mustWait(job)
            book.mustWait(job)
        }
        // Those for which they wait can still be taken.
        #expect(book.room(0) == 1 && !book.canWait)
        book.isDue(1)
        #expect(book.room(0) == 0 && book.canWait)
        book.ended(1)
        book.ended(2)
        #expect(book.isEmpty && book.room(0) == 1 && book.canWait)
    }

    @Test("Invariant 2: a job of which only retries are left takes no room until one is due; so many may rest")
    func resting() {
        var limits = JobBook<Int>.Limits(perLane: [1, 1])
        limits.restingPerLane = [2, 0]
        var book = JobBook(limits)
        for (job, isGranted) in [(1, true), (2, true), (3, false)] {
            _ = book.taken(job, lane: 0, sentAt: Self.start)
            let rests = book.rests(job)
            #expect(rests == isGranted)
            #expect(book.room(0) == (isGranted ? 1 : 0))
        }
        #expect(book.canWait && book.contains(1))
        // It goes on, although its place has been given away.
        book.isDue(1)
        book.ended(3)
        #expect(book.room(0) == 0)
        let restsAgain = book.rests(1)
        #expect(restsAgain && book.room(0) == 1)
        book.ended(1)
        book.ended(2)
        #expect(book.isEmpty && book.room(0) == 1)
        _ = book.taken(4, lane: 1, sentAt: Self.start)
        let restsElsewhere = book.rests(4)
        #expect(!restsElsewhere && book.room(1) == 0)
    }

    @Test("Invariant 3: a gateway holds still before the store gives its oldest job away")
    func leases() {
        var book = book([9])
        let limits = book.limits
        #expect(limits.caution < limits.silence && limits.renewal < limits.caution)
        #expect(book.mayWork(Self.start + .seconds(1000)) && !book.needsRenewal(Self.start + .seconds(1000)))
        _ = book.taken(1, lane: 0, sentAt: Self.start)
        // A job that is taken later does not speak for the older one.
        _ = book.taken(2, lane: 0, sentAt: Self.start + .seconds(3))
        #expect(book.mayWork(Self.start + .milliseconds(3999)) && !book.mayWork(Self.start + .seconds(4)))
        #expect(book.needsRenewal(Self.start + .milliseconds(1500)))
        book.renewed(sentAt: Self.start + .seconds(5))
        #expect(book.mayWork(Self.start + .seconds(8)) && !book.mayWork(Self.start + .seconds(9)))
        // An answer that comes late says nothing new.
        book.renewed(sentAt: Self.start + .seconds(2))
        #expect(book.mayWork(Self.start + .seconds(8)))
        book.ended(1)
        book.ended(2)
        book.renewed(sentAt: Self.start)
        #expect(book.mayWork(Self.start + .seconds(1000)))
        _ = book.taken(3, lane: 0, sentAt: Self.start + .seconds(1000))
        #expect(book.mayWork(Self.start + .seconds(1003)))
    }

    @Test("Random walks: capacity is what the model says", arguments: 0..<20)
    func walk(number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let perLane = [3, 1, 2]
        var book = book(perLane)
        var model: [Int: (lane: Int, waits: Bool)] = [:]
        for step in 0..<2000 {
            let job = Int.random(in: 0..<12, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let lane = Int.random(in: 0..<3, using: &generator)
                let isNew = book.taken(job, lane: lane, sentAt: Self.start)
                #expect(isNew == (model[job] == nil), "seed \(seed)")
                if model[job] == nil { model[job] = (lane, false) }
            case 1:
                book.mustWait(job)
                model[job]?.waits = true
            case 3:
                let rests = book.rests(job)
                #expect(rests == (model[job]?.waits == false), "seed \(seed)")
                model[job]?.waits = true
            case 2:
                book.isDue(job)
                model[job]?.waits = false
            default:
                book.ended(job)
                model[job] = nil
            }
            for lane in 0..<3 {
                let atWork = model.values.count { $0.lane == lane && !$0.waits }
                #expect(book.room(lane) == max(0, perLane[lane] - atWork), "seed \(seed), step \(step)")
            }
            #expect(Set(book.all) == Set(model.keys), "seed \(seed)")
        }
    }
}
