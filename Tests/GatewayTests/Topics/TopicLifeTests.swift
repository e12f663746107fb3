import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Topics", .serialized)
struct TopicLifeTests {
    @Test("Whoever follows a topic is started when it goes live, gets its contents, and one end")
    func life() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(8)
            #expect(try await stage.put("ajax", TestStage.topic("upcoming")).status == 200)
            try await stage.follow(0..<6, "ajax")
            #expect(try await stage.follow(5, "ajax", false).status == 200)
            let live = try await stage.put("ajax", TestStage.topic("live", 1))
            #expect(live["state"]?.string == "live")
            let id = try await stage.activity(of: "ajax")
            try await stage.eventually { stage.pushes(.start).count == 5 }
            #expect(stage.starts(0..<8) == [1, 1, 1, 1, 1, 0, 0, 0])
            try await stage.syncAll(0..<5, id)

            #expect(try await stage.put("ajax", TestStage.topic("live", 2, alert: false)).status == 200)
            try await stage.eventually { stage.contents(0) == ["2.0"] }
            let same = try await stage.put("ajax", TestStage.topic("live", 2, alert: false))
            #expect(same["unchanged"]?.bool == true)

            // One who comes late is shown the newest, with the texts that there were last.
            #expect(try await stage.follow(6, "ajax")["state"]?.string == "live")
            try await stage.eventually { stage.starts(6..<7) == [1] }
            let late = try #require(stage.pushes(.start).last)
            #expect(late.aps("content-state")?.text == #"{"n":2.0}"#)
            #expect((try? late.aps("alert")?.member("body"))?.flatMap { $0.string } == "It is 1")
            #expect(try await stage.sync(6, id).status == 200)
            let fans = [0, 1, 2, 3, 4, 6]
            #expect(stage.phones(TestStage.topicApp).differences(fans, #"{"n":2.0}"#) == [])

            #expect(try await stage.put("ajax", TestStage.topic("ended", 9)).status == 200)
            try await stage.eventually { stage.pushes(.end).count == 6 }
            #expect(stage.phones(TestStage.topicApp).differences(fans, #"{"n":9.0}"#, isOver: true) == [])
            for number in [0, 1, 2, 3, 4, 6] { #expect(stage.contents(number, "end") == ["9.0"], "device \(number)") }
            #expect(try await stage.state(0, in: id) == ("ended", "match_end"))
            #expect(stage.starts(0..<8) == [1, 1, 1, 1, 1, 0, 1, 0])
        }
    }

    /// A topic that has gone live, and whose followers have been sent the start.
    private func live(_ stage: TestStage, followers: Int) async throws -> String {
        try await stage.addDevices(followers)
        _ = try await stage.put("t", TestStage.topic("upcoming"))
        try await stage.follow(0..<followers, "t")
        _ = try await stage.put("t", TestStage.topic("live", 1))
        let id = try await stage.activity(of: "t")
        try await stage.eventually { stage.pushes(.start).count == followers }
        return id
    }

    @Test("Whoever stops following and begins again at once is shown what is newer than the end")
    func followingAgainAtOnce() async throws {
        try await TestStage.run { stage in
            let id = try await live(stage, followers: 2)
            for round in 1...3 {
                let token = [0xC0, UInt8(round)] + [UInt8](repeating: 1, count: 30)
                #expect(try await stage.sync(0, id, token: token).status == 200)
                _ = try await stage.follow(0, "t", false)
                try await stage.eventually { stage.pushes(.end).count == round }
                _ = try await stage.follow(0, "t")
                try await stage.eventually { stage.starts(0..<1) == [round + 1] }
                let end = try #require(stage.pushes(.end).last?.aps("timestamp")?.int64)
                let start = try #require(stage.pushes(.start).last?.aps("timestamp")?.int64)
                #expect(start > end)
            }
        }
    }

    @Test("Whoever stops following loses the Live Activity, and who begins again has it again")
    func unfollow() async throws {
        try await TestStage.run { stage in
            let id = try await live(stage, followers: 3)
            try await stage.syncAll(0..<2, id)

            // One that has synced is ended at once.
            _ = try await stage.follow(0, "t", false)
            try await stage.eventually { stage.pushes(.end).count == 1 }
            try await stage.eventually { try await stage.state(0, in: id) == ("ended", "user_unfollow") }
            // One that has not is ended when it syncs.
            _ = try await stage.follow(2, "t", false)
            try await stage.eventually { try await stage.topics("GET", "/t")["followers", "unfollowed"]?.int64 == 2 }
            try await stage.settled("t")
            _ = try await stage.sync(2, id)
            try await stage.eventually { stage.pushes(.end).count == 2 }

            _ = try await stage.follow(0, "t")
            try await stage.eventually { stage.starts(0..<1) == [2] }
            #expect(try await stage.sync(0, id, token: [0xC0] + [UInt8](repeating: 1, count: 31)).status == 200)
            #expect(try await stage.state(0, in: id).state == "active")
            // No follower is listed twice.
            let listed = try await stage.read("/api/v1/live-activity/\(id)/devices")
            #expect(listed["devices"]?.elementCount == 3)
        }
    }

    @Test("A user who unfollows while the token is dead loses the Live Activity with the next token")
    func unfollowWithDeadToken() async throws {
        try await TestStage.run { stage in
            let id = try await live(stage, followers: 2)
            try await stage.syncAll(0..<2, id)
            stage.refuse(TestStage.updateToken(0))
            _ = try await stage.follow(0, "t", false)
            try await stage.eventually { try await stage.state(0, in: id) == ("ended", "token_invalid") }
            stage.mock.setScript(MockScript())
            #expect(try await stage.sync(0, id, token: [7, 8]).status == 200)
            try await stage.eventually { try await stage.state(0, in: id) == ("ended", "user_unfollow") }
            #expect(stage.pushes(.end).last?.token == "0708")
            #expect(stage.starts(0..<2) == [1, 1])
        }
    }

    @Test("A topic that goes live with nobody to start is live for whoever comes")
    func nobodyAtFirst() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            #expect(try await stage.put("t", TestStage.topic("live", 1)).status == 200)
            _ = try await stage.follow(0, "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            _ = try await stage.follow(1, "t")
            try await stage.eventually { stage.starts(1..<2) == [1] }
            #expect(stage.starts(0..<2) == [1, 1])
        }
    }

    @Test("A follower whose phone comes later is started when the phone does")
    func laterPhone() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            // The app's word, and the owner's list.
            _ = try await stage.follow(1, "t")
            let list = #"{"insider_ids":["\#(TestStage.key(0).insiderID)","\#(TestStage.key(2).insiderID)"]}"#
            #expect(try await stage.topics("PUT", "/t/followers", list).status == 200)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { stage.starts(0..<1) == [1] }
            for number in 1...2 {
                try await stage.setup.store.devices.importDevices(
                    [(TestStage.key(number), TestStage.phone, TestStage.startToken(number))],
                    tenantID: stage.tenant.tenantID)
            }
            try await stage.eventually { stage.starts(0..<3) == [1, 1, 1] }
        }
    }

    @Test("The owner's list: replaced, added to and taken from while the topic is live")
    func lists() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(6)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            let put = try await stage.changeFollowers("PUT", [0, 1, 2])
            #expect(put["users"]?.int64 == 3, "\(put.text)")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<6) == [1, 1, 1, 0, 0, 0] }
            try await stage.syncAll(0..<3, id)

            let added = try await stage.changeFollowers("POST", [2, 3, 4])
            #expect(added["added_users"]?.int64 == 2, "\(added.text)")
            try await stage.eventually { stage.starts(0..<6) == [1, 1, 1, 1, 1, 0] }
            let removed = try await stage.changeFollowers("DELETE", [0])
            #expect(removed["removed_users"]?.int64 == 1)
            try await stage.eventually { stage.contents(0, "end").count + stage.pushes(.end).count == 1 }
            // A list in place of the list.
            try await stage.changeFollowers("PUT", [1, 5])
            try await stage.eventually { stage.starts(0..<6) == [1, 1, 1, 1, 1, 1] }
            try await stage.eventually { try await stage.state(2, in: id) == ("ended", "user_unfollow") }
            let page = try await stage.topics("GET", "/t/followers?limit=1")
            #expect(page["followers"]?.elementCount == 1)
            let next = try #require(page["cursor"]?.string)
            #expect(try await stage.topics("GET", "/t/followers?cursor=\(next)")["followers"]?.elementCount == 1)
        }
    }

    @Test("A new life after an end is a new activity")
    func secondLife() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let first = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<2) == [1, 1] }
            _ = try await stage.put("t", TestStage.topic("ended", 2))
            _ = try await stage.put("t", TestStage.topic("live", 3))
            try await stage.eventually { stage.starts(0..<2) == [2, 2] }
            #expect(try await stage.activity(of: "t") != first)
        }
    }

    @Test("Numbers keep a slow writer from overtaking a fast one")
    func sequence() async throws {
        try await TestStage.run { stage in
            #expect(try await stage.put("t", TestStage.topic("upcoming", 1, more: #","sequence":7"#)).status == 200)
            let stale = try await stage.put("t", TestStage.topic("live", 2, more: #","sequence":6"#))
            #expect(stale.status == 409)
            #expect(stale.code == "STALE_SEQUENCE")
            #expect(try await stage.topics("GET", "/t")["state"]?.string == "upcoming")
            // Equal content with a later number changes the number.
            let same = try await stage.put("t", TestStage.topic("upcoming", 1, more: #","sequence":9"#))
            #expect(same["unchanged"]?.bool == true)
            #expect(try await stage.put("t", TestStage.topic("live", 2, more: #","sequence":8"#)).status == 409)
        }
    }

    @Test("A topic's activity is read as any other, and changed by its topic alone")
    func activity() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<1, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            for call in ["update", "end", "restart", "schedule"] {
                let more = call == "schedule" ? #""offset":60,"event":"end""# : #""devices":"failed""#
                let answer = try await stage.call(
                    call, TestStage.body(id, more: ["schedule", "restart"].contains(call) ? more : ""))
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(call): \(answer.text)")
            }
            let read = try await stage.read("/api/v1/live-activity/\(id)")
            #expect(read["state"]?.string == "STARTED", "\(read.text)")
        }
    }

    @Test("Who has lost the Live Activity is started again, as often as may be in an hour")
    func healing() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<2) == [1, 1] }
            for round in 1...4 {
                let token: [UInt8] = [0xC0, UInt8(round)] + [UInt8](repeating: 7, count: 30)
                #expect(try await stage.sync(0, id, token: token).status == 200)
                var script = MockScript()
                script.rules = [
                    MockRule(
                        .init(tokens: [TestStage.hex(token)]),
                        .answer(status: 410, reason: "Unregistered", timestamp: clock.now.milliseconds + 600_000))
                ]
                stage.mock.setScript(script)
                _ = try await stage.put("t", TestStage.topic("live", 10 + round, alert: false))
                try await stage.settled("t")
                try await stage.settled()
                stage.mock.setScript(MockScript())
                clock.advance(seconds: 31)
                try await stage.lookedAt("t")
                // Twice in an hour, and no more before it is over.
                if round < 3 { try await stage.eventually { stage.starts(0..<1) == [1 + round] } }
                #expect(stage.starts(0..<1) == [1 + min(round, 2)], "round \(round)")
                guard round < 3 else { break }
            }
            clock.advance(seconds: 3600)
            try await stage.eventually { stage.starts(0..<1) == [4] }
            #expect(stage.starts(1..<2) == [1])
        }
    }

    @Test(
        "The dead token of a lost Live Activity stays with its topic when another one was started there and elsewhere")
    func deadTokenAfterHealing() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(1)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            let (dead, fresh): ([UInt8], [UInt8]) = ([0xDE, 0xAD], [0xF0, 0x0D])
            #expect(try await stage.sync(0, id, token: dead).status == 200)
            var script = MockScript()
            script.rules = [
                MockRule(
                    .init(tokens: [TestStage.hex(dead)]),
                    .answer(status: 410, reason: "Unregistered", timestamp: clock.now.milliseconds + 600_000))
            ]
            stage.mock.setScript(script)
            _ = try await stage.put("t", TestStage.topic("live", 2, alert: false))
            try await stage.settled("t")
            try await stage.settled()
            stage.mock.setScript(MockScript())
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            try await stage.eventually { stage.starts(0..<1) == [2] }
            try await stage.settled()
            let other = try await stage.started(1)
            let late = TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#, token: dead)
            for isSynced in [false, true] {
                if isSynced { #expect(try await stage.sync(0, id, token: fresh).status == 200) }
                let answer = try await stage.report("POST", "sync", late)
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
                #expect(try await stage.state(0, in: other).state == "pending")
            }
            _ = try await stage.put("t", TestStage.topic("live", 3, alert: false))
            try await stage.settled("t")
            #expect(stage.pushes(.update).last?.token == TestStage.hex(fresh))
        }
    }

    @Test("Silence is no reason to be started again")
    func silence() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(2)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<2) == [1, 1] }
            try await stage.settled()
            #expect(try await stage.sync(0, id).status == 200)
            for seconds in [125, 3600] {
                clock.advance(seconds: seconds)
                try await stage.lookedAt("t")
                try await stage.settled()
                #expect(stage.starts(0..<2) == [1, 1])
            }
        }
    }

    @Test("Late followers use no timestamps, so no update waits for them")
    func timestamps() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.addDevices(9)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.follow(0..<1, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            try await stage.syncAll(0..<1, id)
            for late in 1..<9 {
                try await stage.follow(late..<(late + 1), "t")
                try await stage.eventually { stage.starts(late..<(late + 1)) == [1] }
                _ = try await stage.put("t", TestStage.topic("live", 1 + late, alert: false))
                try await stage.eventually { stage.contents(0).count == late }
            }
            // The clock stands still: each update has the next second, and a start that of the update before.
            let first = clock.now.seconds
            let starts = stage.pushes(.start).compactMap { $0.aps("timestamp")?.int64 }
            let updates = stage.pushes(.update).compactMap { $0.aps("timestamp")?.int64 }
            #expect(updates == (1...8).map { first + $0 }, "\(updates), \(first)")
            #expect(starts == [first] + (0..<8).map { first + $0 }, "\(starts), \(first)")
        }
    }

    @Test("To clear away what has ended, once the topic is followed again, dismisses and unfollows nothing")
    func dismissalOfEnded() async throws {
        try await TestStage.run { stage in
            let id = try await live(stage, followers: 2)
            func report(_ endpoint: String, _ name: String, _ more: String = "") async throws -> TestStage.Answer {
                let device = TestStage.key(0).fields
                let body = #"{\#(device),"topic":"t","system_activity_id":"\#(name)"\#(more)}"#
                return try await stage.report("POST", endpoint, body)
            }
            func token(_ round: Int) -> String {
                #","token":"\#(TestStage.hex([0xC1, UInt8(round)] + [UInt8](repeating: 1, count: 30)))""#
            }
            #expect(try await report("sync", "first", token(1)).status == 200)
            _ = try await stage.follow(0, "t", false)
            try await stage.eventually { stage.pushes(.end).count == 1 }
            _ = try await stage.follow(0, "t")
            try await stage.eventually { stage.starts(0..<1) == [2] }
            try await stage.eventually { try await stage.state(0, in: id).state == "pending" }

            #expect(try await report("dismissed", "first").status == 200)
            // The ended one's token came late.
            #expect(try await report("sync", "first", token(1)).status == 200)
            #expect(try await stage.state(0, in: id).state == "pending")
            #expect(try await stage.topics("GET", "/t")["followers", "unfollowed"]?.int64 == 0)
            #expect(try await report("sync", "second", token(2)).status == 200)
            #expect(try await stage.state(0, in: id).state == "active")
            // The present one is dismissed by its name.
            #expect(try await report("dismissed", "second").status == 200)
            #expect(try await stage.state(0, in: id) == ("ended", "user_dismissed"))
            try await stage.eventually { try await stage.topics("GET", "/t")["followers", "unfollowed"]?.int64 == 1 }
        }
    }

    @Test("The ended activity's token, reported by topic when the topic is live anew, is answered with the ended one")
    func tokenOfEnded() async throws {
        try await TestStage.run { stage in
            let first = try await live(stage, followers: 1)
            let named = #""topic":"t","system_activity_id":"first""#
            func sync() async throws -> TestStage.Answer {
                try await stage.report("POST", "sync", TestStage.syncBody(0, named))
            }
            #expect(try await sync().status == 200)
            _ = try await stage.put("t", TestStage.topic("ended", 9))
            try await stage.eventually { stage.pushes(.end).count == 1 }
            _ = try await stage.put("t", TestStage.topic("live", 1))
            try await stage.eventually { stage.starts(0..<1) == [2] }
            let second = try await stage.activity(of: "t")
            try await stage.eventually { try await stage.state(0, in: second).state == "pending" }
            let late = try await sync()
            #expect(late.status == 200)
            #expect(late["activity_id"]?.string == first)
            #expect(try await stage.state(0, in: second).state == "pending")
        }
    }

    @Test("A dismissal is an unfollow, on all of the user's devices")
    func dismissal() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            try await stage.follow(0..<2, "t")
            _ = try await stage.put("t", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.starts(0..<2) == [1, 1] }
            try await stage.syncAll(0..<2, id)
            #expect(try await stage.dismiss(0, #""activity_id":"\#(id)""#).status == 200)
            #expect(try await stage.state(0, in: id) == ("ended", "user_dismissed"))
            #expect(try await stage.topics("GET", "/t")["followers", "unfollowed"]?.int64 == 1)
            _ = try await stage.put("t", TestStage.topic("live", 2))
            try await stage.eventually { stage.contents(1) == ["2.0"] }
            #expect(stage.contents(0) == [])
            #expect(stage.pushes(.end).isEmpty)
        }
    }
}
