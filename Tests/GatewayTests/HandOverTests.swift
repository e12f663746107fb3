import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PhoneModel
import Testing
import TimeCore

@Suite("A token that changes hands after a start", .serialized)
struct HandOverTests {
    private static let token = TestStage.startToken(77)
    private static let restart = #""devices":"unsent""#

    /// The phone reports itself and its token for a login.
    private func logIn(_ stage: TestStage, _ number: Int) async throws {
        let key = TestStage.key(number)
        let names = #""insider_id":"\#(key.insiderID)","udid":"\#(key.udid)""#
        let device = """
            {\(names),"platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,
             "environment":"production"}
            """
        let token = #"{\#(names),"token":"\#(TestStage.hex(Self.token))"}"#
        for (route, body) in [("device", device), ("push-to-start-token", token)] {
            let answer = try await stage.report("PUT", route, body)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    private func starts(_ stage: TestStage) -> Int {
        stage.pushes(.start).count { $0.token == TestStage.hex(Self.token) }
    }

    @Test("A restart of unsent devices skips a login whose phone shows the activity, and so does the way back")
    func restart() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            try await logIn(stage, 1)
            try await logIn(stage, 0)
            let id = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            #expect(starts(stage) == 1)
            for login in [1, 0, 1] {
                try await logIn(stage, login)
                let answer = try await stage.call("restart", TestStage.body(id, more: Self.restart))
                #expect(answer.code == "NO_ELIGIBLE_DEVICE", "\(answer.text)")
                #expect(answer.skipped("active") == 1, "\(answer.text)")
            }
            #expect(starts(stage) == 1)
            // Another activity is started for the login that reported last.
            let other = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 2)
            #expect(starts(stage) == 2)
        }
    }

    @Test("A follower who signs in on a phone that shows the topic gets no second start, until the first one has ended")
    func topic() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await logIn(stage, 0)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            _ = try await stage.follow(0, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { starts(stage) == 1 }
            try await stage.settled()
            #expect(try await stage.sync(0, id).status == 200)
            clock.advance(seconds: 1)
            try await logIn(stage, 1)
            _ = try await stage.follow(1, "t")
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            #expect(starts(stage) == 1)
            _ = try await stage.follow(0, "t", false)
            try await stage.eventually { stage.pushes(.end).count == 1 }
            try await stage.eventually { try await stage.state(0, in: id) == ("ended", "user_unfollow") }
            clock.advance(seconds: 31)
            try await stage.eventually { starts(stage) == 2 }
            let tokens = [ReportedToken(own: TestStage.updateToken(0), start: Self.token)]
            let phone = stage.phones(TestStage.topicApp, tokens: tokens)[77]
            #expect(phone.liveActivities.map(\.isOver) == [true, false])
            #expect(phone.liveActivities.map(\.attributes) == [Array(#"{"m":1}"#.utf8), Array(#"{"m":1}"#.utf8)])
            #expect(phone.drops == [])
        }
    }
}
