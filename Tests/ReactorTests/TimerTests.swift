import TestSupport
import Testing
import TimeCore

@testable import Reactor

@Suite("Timers")
struct TimerTests {
    @Test("Timers fire in the order of their deadlines, equal ones in the order in which they were set")
    func order() async throws {
        let fired: [Int]? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let record = Record<Int>()
                let start = MonotonicTime.now()
                for (index, delay) in [30, 10, 20, 10, 0, 20].enumerated() {
                    reactor.schedule(at: start + .milliseconds(delay)) { record.values.append(index) }
                }
                reactor.schedule(at: start + .milliseconds(31)) { done(record.values) }
            }
        }
        #expect(fired == [4, 1, 3, 2, 5, 0])
    }

    @Test("No timer fires before its deadline")
    func notTooEarly() async throws {
        let early: Bool? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let deadline = MonotonicTime.now() + .microseconds(7300)
                reactor.schedule(at: deadline) { done(MonotonicTime.now() < deadline) }
            }
        }
        #expect(early == false)
    }

    @Test("A cancelled timer does not fire, also when a timer of the same moment cancels it")
    func cancelling() async throws {
        let fired: [String]? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let record = Record<String>()
                let now = MonotonicTime.now()
                let first = reactor.schedule(at: now + .milliseconds(5)) { record.values.append("cancelled before") }
                reactor.cancel(first)
                reactor.cancel(first)
                let victim = Record<ReactorTimer>()
                reactor.schedule(at: now + .milliseconds(10)) {
                    record.values.append("canceller")
                    victim.values.forEach(reactor.cancel)
                }
                victim.values.append(reactor.schedule(at: now + .milliseconds(10)) { record.values.append("victim") })
                reactor.schedule(at: now + .milliseconds(15)) { done(record.values) }
            }
        }
        #expect(fired == ["canceller"])
    }

    @Test("A timer that sets itself again for now lets the other timers and the jobs have their turn")
    func noStarvation() async throws {
        try await withReactor { reactor in
            let other: Bool? = await outcome(on: reactor) { done in
                let isOver = Record<Bool>()
                @Sendable func again() {
                    // The bound keeps a reactor that does starve the others from hanging the test.
                    guard isOver.values.count < 200_000 else { return done(false) }
                    isOver.values.append(true)
                    reactor.schedule(at: reactor.now) { again() }
                }
                again()
                reactor.schedule(after: .milliseconds(20)) {
                    done(true)
                    isOver.values = Array(repeating: true, count: 200_001)
                }
            }
            #expect(other == true)
        }
    }

    @Test("The heap gives what a sorted list gives, through inserting, cancelling and taking in any order")
    func heapWalk() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        var model: [(deadline: UInt64, timer: ReactorTimer, value: Int)] = []
        let fired = Record<Int>()
        var now: UInt64 = 0
        for step in 0..<30_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let deadline = now + UInt64.random(in: 0...500, using: &generator)
                let timer = heap.insert(MonotonicTime(nanoseconds: deadline)) { fired.values.append(step) }
                let place = model.firstIndex { $0.deadline > deadline } ?? model.count
                model.insert((deadline, timer, step), at: place)
            case 5..<8:
                guard !model.isEmpty else { continue }
                let entry = model.remove(at: Int.random(in: 0..<model.count, using: &generator))
                heap.remove(entry.timer)
                heap.remove(entry.timer)
            default:
                now += UInt64.random(in: 0...60, using: &generator)
                for timer in heap.popDue(MonotonicTime(nanoseconds: now)) { heap.takeAction(timer)?() }
                let due = model.prefix { $0.deadline <= now }
                #expect(fired.values == due.map(\.value), "seed \(seed), step \(step)")
                model.removeFirst(due.count)
                fired.values = []
                if let next = model.first {
                    // Cancelled timers may make it earlier, never later.
                    #expect((heap.nextDeadline?.nanoseconds ?? .max) <= next.deadline, "seed \(seed), step \(step)")
                }
            }
        }
        for timer in heap.popDue(MonotonicTime(nanoseconds: .max)) { heap.takeAction(timer)?() }
        #expect(fired.values == model.map(\.value), "seed \(seed)")
        #expect(heap.nextDeadline == nil)
    }
}
