import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import Testing
import TimeCore

@Suite("Lists of followers that change during a topic's life", .serialized)
struct TopicListTests {
    private func work(_ stage: TestStage) async throws -> String? {
        try await stage.topics("GET", "/t")["work"]?.string
    }

    /// A live topic whose followers have been read. None could be started.
    private func waiting(_ stage: TestStage) async throws {
        try await stage.addDevices(3)
        #expect(try await stage.put("t", TestStage.topic("live", 1)).status == 200)
        try await stage.eventually { try await self.work(stage) == "waiting" }
        try await stage.settled("t")
        #expect(try await stage.topics("GET", "/t")["activity_id"] == nil)
    }

    @Test("A list that comes after a topic went live for nobody starts its users", arguments: ["PUT", "POST"])
    func firstList(method: String) async throws {
        try await TestStage.run { stage in
            try await waiting(stage)
            try await stage.changeFollowers(method, [0, 1])
            try await stage.eventually { stage.starts(0..<3) == [1, 1, 0] }
            let id = try await stage.activity(of: "t")
            try await stage.syncAll(0..<2, id)
            try await stage.changeFollowers(method, [0, 1, 2])
            try await stage.eventually { stage.starts(0..<3) == [1, 1, 1] }
            try await stage.changeFollowers("DELETE", [1])
            try await stage.eventually { try await stage.state(1, in: id) == ("ended", "user_unfollow") }
            try await stage.eventually { try await self.work(stage) == "none" }
            #expect(try await stage.topics("GET", "/t")["followers", "queued"]?.int64 == 0)
        }
    }

    @Test("A list starts its users after another gateway found nobody to start and newer content came")
    func otherGateway() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await waiting(stage)
            await stage.gateways[0].stop()
            let newer = TestStage.topic("live", 2, alert: false)
            #expect(try await stage.put("t", newer, gateway: 1).status == 200)
            try await stage.settled("t")
            try await stage.changeFollowers("PUT", [0], gateway: 1)
            try await stage.eventually { stage.starts(0..<3) == [1, 0, 0] }
            #expect(stage.phones(TestStage.topicApp).differences([0], #"{"n":2.0}"#) == [])
        }
    }

    @Test("A user on the list whose phone comes after a topic went live for nobody is started then")
    func laterPhone() async throws {
        try await TestStage.run { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.changeFollowers("PUT", [0])
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { try await self.work(stage) == "waiting" }
            try await stage.settled("t")
            try await stage.logIn(0)
            try await stage.eventually { stage.sharedStarts == 1 }
        }
    }

    @Test("A list is read again where all users of the former list could not be started")
    func otherList() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.changeFollowers("PUT", [7, 8])
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { try await self.work(stage) == "waiting" }
            try await stage.changeFollowers("PUT", [8, 0])
            try await stage.eventually { stage.starts(0..<1) == [1] }
        }
    }

    @Test("The work of a topic follows its next step")
    func works() {
        func work(
            _ state: TopicState, of life: Int? = nil, runs: Bool = true, sent: Int = 1, queue: Bool = false,
            walked: Bool = false
        ) -> TopicWork {
            TopicSituation(state: state, life: 1, version: 1, activityLife: life, isRunning: runs, sent: sent)
                .work(hasQueue: queue, hasWalked: walked)
        }
        #expect(work(.upcoming) == .none)
        #expect(work(.live) == .starting && work(.live, queue: true, walked: true) == .starting)
        #expect(work(.live, walked: true) == .waiting)
        #expect(work(.live, of: 1, sent: 0, queue: true) == .updating)
        #expect(work(.live, of: 1, queue: true) == .following && work(.live, of: 1) == .none)
        #expect(work(.ended, of: 1) == .ending && work(.live, of: 1, runs: false) == .ending)
    }
}
