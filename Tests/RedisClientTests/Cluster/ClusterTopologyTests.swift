import Testing
import TimeCore

@testable import RedisClient

@Suite struct ClusterTopologyTests {
    private func node(_ host: RedisValue, _ port: Int64) -> RedisValue {
        .array([host, .integer(port), .bytes(Array("id".utf8)), .array([])])
    }

    private func text(_ text: String) -> RedisValue { .bytes(Array(text.utf8)) }

    private func range(_ first: Int64, _ last: Int64, _ nodes: RedisValue...) -> RedisValue {
        .array([.integer(first), .integer(last)] + nodes)
    }

    @Test func everySlotHasTheMasterThatTheReplyNames() throws {
        let reply = RedisValue.array([
            range(0, 99, node(text("10.0.0.1"), 1), node(text("10.0.0.2"), 2)),
            range(200, 16_383, node(text("::1"), 3)), range(100, 100, node(text("10.0.0.1"), 1)),
        ])
        let topology = try #require(ClusterTopology(reply, asked: "asked"))
        let first = ClusterAddress(host: "10.0.0.1", port: 1)
        #expect(topology.master(of: 0) == first)
        #expect(topology.master(of: 100) == first)
        #expect(topology.master(of: 101) == nil)
        #expect(topology.master(of: 16_383) == ClusterAddress(host: "::1", port: 3))
        #expect(topology.masters.count == 2)
        #expect(topology.replicas == [ClusterAddress(host: "10.0.0.2", port: 2)])
        #expect(topology.coveredSlots == 16_384 - 99)
    }

    @Test func aNodeThatDoesNotKnowItsHostHasTheOneThatWasAsked() throws {
        for host in [RedisValue.null, text(""), text("?")] {
            let topology = try #require(ClusterTopology(.array([range(0, 1, node(host, 7))]), asked: "asked"))
            #expect(topology.masters == [ClusterAddress(host: "asked", port: 7)])
        }
    }

    @Test func whatIsNoTopologyIsRefused() {
        let good = node(text("a"), 1)
        for reply in [
            RedisValue.null, .array([]), .integer(3), .array([.null]), .array([range(0, 1)]),
            .array([range(0, 16_384, good)]), .array([range(-1, 5, good)]), .array([range(9, 5, good)]),
            .array([range(0, 1, node(text("a"), 0))]), .array([range(0, 1, node(text("a"), 65_536))]),
            .array([range(0, 1, .array([]))]), .array([.array([text("x"), .integer(1), good])]),
        ] {
            #expect(ClusterTopology(reply, asked: "asked") == nil, "\(reply)")
        }
    }

    @Test func aSlotThatMovedIsTheOtherNodesAndNoOtherSlotIs() throws {
        var topology = try #require(
            ClusterTopology(.array([range(0, 16_383, node(text("a"), 1))]), asked: "asked"))
        let other = ClusterAddress(host: "b", port: 2)
        topology.moved(5, to: other)
        #expect(topology.master(of: 5) == other)
        #expect(topology.master(of: 4) == ClusterAddress(host: "a", port: 1))
        #expect(topology.coveredSlots == 16_384)
    }

    @Test func errorRepliesSayWhatTheyMean() {
        let address = ClusterAddress(host: "10.0.0.1", port: 6381)
        #expect(ClusterAnswer("MOVED 3999 10.0.0.1:6381", asked: "x") == .moved(3999, address))
        #expect(ClusterAnswer("ASK 3999 10.0.0.1:6381", asked: "x") == .ask(address))
        #expect(ClusterAnswer("MOVED 1 :6381", asked: "x") == .moved(1, ClusterAddress(host: "x", port: 6381)))
        #expect(ClusterAnswer("MOVED 1 ::1:6381", asked: "x") == .moved(1, ClusterAddress(host: "::1", port: 6381)))
        #expect(ClusterAnswer("TRYAGAIN Multiple keys", asked: "x") == .tryAgain)
        for code in ["CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"] {
            #expect(ClusterAnswer("\(code) for a while", asked: "x") == .notNow)
        }
        for text in [
            "", "MOVED", "MOVED 1", "MOVED x 1.2.3.4:5", "MOVED 16384 1.2.3.4:5", "MOVED 1 1.2.3.4", "ASK 1 a:0",
            "ASK 1 a:70000", "ERR MOVED 1 a:1", "CROSSSLOT Keys in request", "MOVEDX 1 a:1",
        ] {
            #expect(ClusterAnswer(text, asked: "x") == nil, "\(text)")
        }
    }

    @Test func oneCommandFollowsOnlySoOften() {
        let address = ClusterAddress(host: "a", port: 1)
        var retry = ClusterRetry()
        var steps: [ClusterRetry.Step] = []
        for _ in 0..<20 { steps.append(retry.refused(.moved(1, address), random: 0)) }
        #expect(steps.prefix(4).allSatisfy { $0 == .resend })
        #expect(steps[4..<16].allSatisfy { if case .pause = $0 { true } else { false } })
        #expect(steps[16...].allSatisfy { $0 == .giveUp })
        retry = ClusterRetry()
        #expect(retry.refused(.ask(address), random: 0) == .ask(address))
        var pauses = 0
        while case .pause(let interval) = retry.refused(.notNow, random: 1) {
            #expect(interval >= .milliseconds(5) && interval <= .milliseconds(200))
            pauses += 1
        }
        #expect(pauses == ClusterRetry.maximumPauses)
    }
}
