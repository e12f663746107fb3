import TestSupport
import Testing
import TimeCore

@testable import RedisClient

@Suite struct ClusterRefreshTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private let nodes: [ClusterAddress?] = [
        ClusterAddress(host: "a", port: 1), ClusterAddress(host: "b", port: 2), nil,
    ]

    @Test func theFirstWishIsFulfilledAtOnceAndTheNextOnlyAfterAWhile() {
        var refresh = ClusterRefresh()
        #expect(refresh.wanted(start) == [.schedule(start)])
        #expect(refresh.wanted(start) == [])
        #expect(refresh.due(start, sources: nodes) == [.ask(nodes[0])])
        #expect(refresh.answered(start, isSettled: true, random: 0) == [])
        #expect(refresh.state == .idle)
        #expect(refresh.wanted(start) == [.schedule(start + ClusterRefresh.shortest)])
    }

    @Test func aNodeThatFailsIsFollowedByTheNext() {
        var refresh = ClusterRefresh()
        _ = refresh.wanted(start)
        _ = refresh.due(start, sources: nodes)
        #expect(refresh.failed("no", start, random: 0) == [.ask(nodes[1])])
        #expect(refresh.failed("no", start, random: 0) == [.ask(nil)])
        let actions = refresh.failed("last", start, random: 0)
        #expect(actions.first == .roundFailed(reason: "last"))
        #expect(actions.count == 2)
        guard case .scheduled = refresh.state else {
            Issue.record("nothing is scheduled after a round that failed")
            return
        }
    }

    @Test func aWishDuringARoundIsNotForgotten() {
        var refresh = ClusterRefresh()
        _ = refresh.wanted(start)
        _ = refresh.due(start, sources: nodes)
        #expect(refresh.wanted(start) == [])
        #expect(!refresh.answered(start, isSettled: true, random: 0).isEmpty)
    }

    @Test func whateverHappensItIsBoundedAndNeverForgets() {
        let seed = TestSeed.current
        var generator = SeededGenerator(seed: seed)
        var refresh = ClusterRefresh()
        var now = start
        var begun: [MonotonicTime] = []
        var isUnsettled = false
        for step in 0..<20_000 {
            now = now + .milliseconds(Int.random(in: 0...80, using: &generator))
            let random = Double.random(in: 0..<1, using: &generator)
            let before = refresh.state
            var actions: [ClusterRefresh.Action] = []
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: actions = refresh.wanted(now)
            case 1:
                let count = Int.random(in: 0...30, using: &generator)
                actions = refresh.due(now, sources: (0..<count).map { ClusterAddress(host: "\($0)", port: 1) })
                if case .scheduled(let time) = before, time <= now { begun.append(now) }
            case 2:
                let isSettled = Bool.random(using: &generator)
                if case .asking = before { isUnsettled = !isSettled }
                actions = refresh.answered(now, isSettled: isSettled, random: random)
            default: actions = refresh.failed("no", now, random: random)
            }
            let asks = actions.count { if case .ask = $0 { true } else { false } }
            if case .asking = refresh.state {
                #expect(asks == (before == refresh.state ? 0 : 1), "step \(step), seed \(seed)")
            } else {
                #expect(asks == 0, "step \(step), seed \(seed)")
            }
            if isUnsettled { #expect(refresh.state != .idle, "step \(step), seed \(seed)") }
            if case .scheduled(let time) = refresh.state {
                #expect(time <= now + ClusterRefresh.longest, "step \(step), seed \(seed)")
            }
        }
        #expect(begun.count > 100, "seed \(seed)")
        for (earlier, later) in zip(begun, begun.dropFirst()) {
            #expect(later - earlier >= ClusterRefresh.shortest, "seed \(seed)")
        }
    }
}
