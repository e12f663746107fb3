import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Followers of a topic who go and come", .serialized)
struct TopicChangeTests {
    @Test("A sync by type finds the activity of a late follower whose start is under way")
    func syncDuringLateStart() async throws {
        try await TestStage.run(configure: { $0.push.pushDeadline = .seconds(3) }) { stage in
            try await stage.addDevices(3)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            var script = MockScript()
            script.rules = [MockRule(.init(tokens: [TestStage.hex(TestStage.startToken(2))]), .silence)]
            stage.mock.setScript(script)
            try await stage.changeFollowers("PUT", [1, 2])
            try await stage.eventually { stage.starts(1..<3) == [1, 1] }
            let body = TestStage.syncBody(1, #""activity_type":"\#(TestStage.type)""#)
            let answer = try await stage.report("POST", "sync", body)
            #expect(answer["activity_id"]?.string == id, "\(answer.text)")
        }
    }

    @Test("Whoever clears away what is over follows still, and has the next life's")
    func clearedAway() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            try await stage.syncAll(0..<1, id)
            _ = try await stage.put("t", TestStage.topic("ended", 2))
            try await stage.eventually { stage.pushes(.end).count == 1 }
            #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200)
            #expect(try await stage.topics("GET", "/t")["followers", "unfollowed"]?.int64 == 0)
            _ = try await stage.put("t", TestStage.topic("live", 3))
            try await stage.eventually { stage.starts(0..<1) == [2] }
        }
    }

    @Test("Whoever is taken off the list and put on it again has a Live Activity again")
    func offAndOn() async throws {
        let configure: (inout GatewayOptions) -> Void = { $0.jobs.topics.interval = .milliseconds(200) }
        try await TestStage.run(configure: configure) { stage in
            try await stage.addDevices(3)
            try await list0(stage)
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<3) == [1, 1, 1] }
            try await stage.syncAll(0..<2, id)
            try await stage.changeFollowers("PUT", [0])
            try await stage.eventually { try await stage.state(1, in: id) == ("ended", "user_unfollow") }
            // The scan drops users who lost their Live Activity and no longer follow.
            try await stage.lookedAt("t")
            try await stage.changeFollowers("PUT", [0, 1, 2])
            try await stage.eventually { stage.starts(0..<3) == [1, 2, 1] }
            try await stage.settled("t")
            // Its end waited for a token and was withdrawn.
            #expect(try await stage.sync(2, id).status == 200)
            _ = try await stage.put("t", TestStage.topic("live", 5))
            try await stage.eventually { stage.contents(2).last == "5.0" }
            #expect(stage.contents(2, "end").isEmpty)
            #expect(stage.starts(0..<3) == [1, 2, 1])
        }
    }

    private func list0(_ stage: TestStage) async throws {
        _ = try await stage.put("t", TestStage.topic("upcoming"))
        try await stage.changeFollowers("PUT", [0, 1, 2])
        _ = try await stage.put("t", TestStage.topic("live", 1))
    }

    @Test("A phone that is started again no more, for now, keeps no other phone of its user from the first start")
    func otherPhone() async throws {
        let clock = TestClock()
        let configure: (inout GatewayOptions) -> Void = { $0.jobs.topics.healLimit = 0 }
        try await TestStage.run(clock: clock, configure: configure) { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            try await stage.syncAll(0..<1, id)
            stage.mock.setScript(.unregistered(TestStage.hex(TestStage.updateToken(0))))
            _ = try await stage.put("t", TestStage.topic("live", 2, alert: false))
            try await stage.settled("t")
            try await stage.settled()
            stage.mock.setScript(MockScript())
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            #expect(stage.starts(0..<1) == [1])
            let other = DeviceKey(insiderID: TestStage.key(0).insiderID, udid: "another")
            try await stage.setup.store.devices.importDevices(
                [(key: other, device: TestStage.phone, token: Optional(TestStage.startToken(7)))],
                tenantID: stage.tenant.tenantID)
            // The report of the new device reaches its user's topics.
            let body = """
                {"insider_id":"\(other.insiderID)","udid":"another","activity_type":"\(TestStage.type)",
                 "token":"\(TestStage.hex(TestStage.startToken(7)))"}
                """
            _ = try await stage.report("PUT", "push-to-start-token", body)
            try await stage.follow(0..<1, "t")
            _ = try await stage.follow(0, "t", false)
            try await stage.follow(0..<1, "t")
            clock.advance(seconds: 1)
            try await stage.eventually { stage.starts(7..<8) == [1] }
            #expect(stage.starts(0..<1) == [1])
        }
    }

    @Test("A phone that reports twice at the same moment after its user has unfollowed is sent one end")
    func oneLateEnd() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(4)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<4, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.pushes(.start).count == 4 }
            for number in 0..<4 { _ = try await stage.follow(number, "t", false) }
            try await stage.settled("t")
            try await stage.settled()

            // With this latency, the end of the second report would leave before the first one's arrives.
            stage.mock.setScript(.slow(.milliseconds(300)))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, gateway) in (0..<4).flatMap({ [($0, 0), ($0, 1)] }) {
                    group.addTask { try await stage.sync(number, id, gateway: gateway).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            try await stage.eventually { Set(stage.pushes(.end).map(\.token)).count == 4 }
            try await stage.settled()
            try await stage.eventually { try await stage.keys("fanfare:{*}:j:*").isEmpty }
            #expect(stage.pushes(.end).count == 4)
        }
    }

    @Test("The many starts of single followers do not push the start of all out of the last broadcasts")
    func lastBroadcasts() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(14)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { stage.pushes(.start).count == 2 }
            for number in 2..<14 {
                _ = try await stage.follow(number, "t")
                try await stage.eventually { stage.starts(number..<(number + 1)) == [1] }
            }
            try await stage.settled("t")
            let broadcasts = try await stage.topics("GET", "/t")["broadcasts"].map { Array($0.elements) } ?? []
            let totals = try broadcasts.map { try $0.member("total")?.int64 }
            #expect(totals == Array(repeating: 1, count: 10) + [2])
            let times = try broadcasts.map {
                try WallTime(rfc3339: $0.member("created_at")?.string ?? "")?.milliseconds ?? 0
            }
            #expect(times == times.sorted(by: >) && !times.contains(0))
        }
    }

    @Test("A late follower's start that is over takes nothing from the start of all that is under way")
    func lateDuringStart() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            try await stage.addDevices(20_001)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            let list = (0..<20_000).map { TestStage.key($0).insiderID }.joined(separator: "\n")
            _ = try await stage.topics("PUT", "/t/followers", list, type: "text/csv")
            stage.mock.setScript(.slow(.milliseconds(100), streams: 1000))
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { stage.pushes(.start).count > 10 }
            _ = try await stage.follow(20_000, "t")
            let late = TestStage.hex(TestStage.startToken(20_000))
            try await stage.eventually { stage.pushes(.start).contains { $0.token == late } }
            // Some starts are still left.
            #expect(stage.pushes(.start).count < 15_000)
            try await stage.settled("t")
            try await stage.settled()
            #expect(Set(stage.pushes(.start).map(\.token)).count == 20_001)
            #expect(stage.pushes(.start).count == 20_001)
        }
    }
}
