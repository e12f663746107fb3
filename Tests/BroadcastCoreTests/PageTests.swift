import Delivery
import TestSupport
import Testing
import TimeCore

@testable import BroadcastCore

@Suite("Pages of a broadcast")
struct PageTests {
    @Test("Invariant 2: no more pages are open or being read than allowed", arguments: [0, 1, 3, 8])
    func openPages(limit: Int) {
        var configuration = BroadcastCore.Configuration()
        configuration.openPages = limit
        var core = BroadcastCore(
            event: .update, pages: Array(0..<20), configuration: configuration)
        let allowed = max(1, limit)
        var (reading, open, order) = ([Int](), 0, [Int]())
        while !core.isFinished {
            while let page = core.pageToRead() {
                reading.append(page)
                order.append(page)
                #expect(reading.count + open <= allowed)
            }
            if let page = reading.popLast() {
                core.pageRead(Stage.page(page, 2))
                open += 1
            }
            while core.sendNext(.accepted, at: Stage.start) {}
            open -= core.takeResults().count
        }
        #expect(order == Array(0..<20) && core.tally.accepted == 40)
    }

    @Test(
        "Pages are sent in the order in which they were read, also when others take the places of those that are done")
    func order() throws {
        var configuration = BroadcastCore.Configuration()
        configuration.openPages = 3
        var core = BroadcastCore(event: .update, pages: Array(0..<9), configuration: configuration)
        var sent: [Int] = []
        while !core.isFinished {
            while let page = core.pageToRead() { core.pageRead(Stage.page(page, 2)) }
            let tag = try core.next(Stage.start)
            sent.append(core.target(tag).page)
            core.pushAccepted(tag)
        }
        #expect(sent == (0..<9).flatMap { [$0, $0] })
    }

    @Test("A broadcast without pages, and one of empty pages, is finished without a push")
    func empty() {
        let none = BroadcastCore(event: .start, pages: [])
        #expect(none.isFinished == true)
        var core = BroadcastCore(event: .start, pages: [7, 8])
        #expect(core.isFinished == false)
        for number in [7, 8] {
            core.expectToRead(number)
            core.pageRead(Stage.page(number, 0))
        }
        #expect(core.isFinished == true)
        core.expectNothingToPush(Stage.start)
        core.expectFinished([7, 8])
        core.expectFinished([])
    }

    @Test("Invariant 1: devices whose token cannot be read are counted and not pushed to")
    func invalid() throws {
        let bytes = [UInt8](repeating: 7, count: 1_200)
        let page = BroadcastPage(
            number: 3, devices: [(0, 0..<0), (1, 0..<32), (2, 0..<1_025), (3, 1_190..<1_201), (4, 100..<1_124)],
            bytes: bytes)
        var core = BroadcastCore(event: .start, pages: [3])
        _ = core.pageToRead()
        core.pageRead(page)
        #expect(core.tally.failed == ["Unsendable": 3])
        for (index, length) in [(1, 32), (4, 1_024)] {
            let tag = try core.next(Stage.start)
            let target = core.target(tag)
            #expect(Int(target.index) == index && target.token.count == length && target.page == 3)
            core.pushEnded(tag, .accepted, now: Stage.start, jitter: 0)
        }
        #expect(core.isFinished && core.tally.accepted == 2)
        let invalid = core.takeResults().map(\.tally.failures)
        #expect(invalid == [3])
    }

    @Test("A finished page makes room at once, and its place serves another page's devices")
    func reuse() throws {
        var configuration = BroadcastCore.Configuration()
        configuration.openPages = 2
        var core = BroadcastCore(event: .update, pages: [0, 1, 2], configuration: configuration)
        for number in 0..<2 {
            core.expectToRead(number)
            core.pageRead(Stage.page(number, 1))
        }
        core.expectToRead(nil)
        let slow = try core.next(Stage.start)
        let quick = try core.next(Stage.start)
        core.pushEnded(quick, .accepted, now: Stage.start, jitter: 0)
        core.expectToRead(2)
        core.pageRead(Stage.page(2, 1))
        let next = try core.next(Stage.start)
        let pages = [core.target(next).page, core.target(slow).page]
        #expect(pages == [2, 0])
        core.pushEnded(next, .accepted, now: Stage.start, jitter: 0)
        core.pushEnded(slow, Stage.badToken, now: Stage.start, jitter: 0)
        core.expectFinished([1, 2, 0])
    }

    @Test("Retries come up in order of their time, through any order of setting them")
    func retryOrder() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var queue = RetryQueue()
        var model: [(due: UInt64, tag: UInt64)] = []
        var now: UInt64 = 0
        for step in 0..<20_000 as Range<UInt64> {
            if Bool.random(using: &generator) || model.count < 10 {
                let due = now + UInt64.random(in: 0...100, using: &generator)
                queue.insert(BroadcastCore.Tag(rawValue: step), due: MonotonicTime(nanoseconds: due))
                model.insert((due, step), at: model.firstIndex { $0.due > due } ?? model.count)
            } else {
                now += UInt64.random(in: 0...5, using: &generator)
                let expected = model.first.flatMap { $0.due <= now ? $0.tag : nil }
                if expected != nil { model.removeFirst() }
                let popped = queue.popDue(MonotonicTime(nanoseconds: now))?.rawValue
                #expect(popped == expected, "seed \(seed)")
            }
            #expect(queue.nextDue?.nanoseconds == model.first?.due, "seed \(seed)")
        }
        let rest = Set(queue.removeAll().map(\.rawValue))
        #expect(rest == Set(model.map(\.tag)))
        #expect(queue.nextDue == nil)
    }
}
