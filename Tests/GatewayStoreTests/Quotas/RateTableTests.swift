import TestSupport
import Testing

@testable import GatewayStore

@Suite("The table of requests")
struct RateTableTests {
    @Test("Up to the allowance nobody is told; then the store is, of all that it has not been told of")
    func allowance() {
        var table = RateTable(rows: 1)
        let verdicts = (0..<6).map { table.requested(1, limit: 120, now: UInt64($0)) }
        #expect(verdicts == [.allowed, .allowed, .allowed, .allowed, .allowed, .allowedAndTold(6)])
        // Two allowances until the store answers.
        for now in 0..<12 { #expect(table.requested(1, limit: 120, now: UInt64(now)) == .allowed) }
        #expect(table.requested(1, limit: 120, now: 20) == .refused(wait: 1000))
        table.settle(1, wait: 0, limit: 120, now: 21)
        #expect(table.requested(1, limit: 120, now: 22) == .allowedAndTold(13))
        table.settle(1, wait: 500, limit: 120, now: 30)
        #expect(table.requested(1, limit: 120, now: 130) == .refused(wait: 400))
        #expect(table.requested(1, limit: 120, now: 530) == .allowed)
    }

    @Test("What was let in at a minute's end still counts in the next one, and not in the one after it")
    func edges() {
        var table = RateTable(rows: 1)
        for _ in 0..<3 { #expect(table.requested(1, limit: 80, now: 59_999) == .allowed) }
        #expect(table.requested(1, limit: 80, now: 60_000) == .allowedAndTold(4))
        for _ in 0..<3 { #expect(table.requested(2, limit: 80, now: 59_999) == .allowed) }
        #expect(table.requested(2, limit: 80, now: 120_000) == .allowed)
    }

    @Test("What the store was not told after all is told with the next request")
    func failure() {
        var table = RateTable(rows: 1)
        #expect(table.requested(1, limit: 1, now: 0) == .allowedAndTold(1))
        table.settle(1, wait: nil, limit: 120, now: 1)
        #expect(table.requested(1, limit: 1, now: 2) == .allowedAndTold(2))
    }

    @Test("A limit that is raised lets in at once whom the former one kept out, and one that is lowered does not")
    func changedLimit() {
        var table = RateTable(rows: 1)
        #expect(table.requested(1, limit: 20, now: 0) == .allowedAndTold(1))
        table.settle(1, wait: 50_000, limit: 20, now: 10)
        #expect(table.requested(1, limit: 20, now: 20) == .refused(wait: 49_990))
        #expect(table.requested(1, limit: 5, now: 20) == .refused(wait: 49_990))
        #expect(table.requested(1, limit: 60, now: 30) == .allowed)
        // The store's answer for the former limit no longer counts. At the new limit it may refuse again.
        for _ in 0..<1 { #expect(table.requested(1, limit: 60, now: 40) == .allowed) }
        #expect(table.requested(1, limit: 60, now: 40) == .allowedAndTold(3))
        table.settle(1, wait: 1000, limit: 60, now: 50)
        #expect(table.requested(1, limit: 60, now: 60) == .refused(wait: 990))
    }

    @Test("A flood of names takes no room from a name that asks often, and no memory")
    func flood() {
        var random = TestSeed.generator(1501)
        var table = RateTable(rows: 64)
        let capacity = table.capacity
        for _ in 0..<4 { _ = table.requested(7, limit: 120, now: 0) }
        for _ in 0..<100_000 { _ = table.requested(.random(in: 8 ... .max, using: &random), limit: 120, now: 0) }
        #expect(table.capacity == capacity)
        #expect(table.requested(7, limit: 120, now: 1) == .allowed)
        #expect(table.requested(7, limit: 120, now: 1) == .allowedAndTold(6))
        // A refused name stays refused.
        table.settle(7, wait: 1000, limit: 120, now: 2)
        for _ in 0..<100_000 { _ = table.requested(.random(in: 8 ... .max, using: &random), limit: 120, now: 3) }
        #expect(table.requested(7, limit: 120, now: 502) == .refused(wait: 500))
    }
}
