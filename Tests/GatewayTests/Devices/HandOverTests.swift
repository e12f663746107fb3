import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PhoneModel
import RedisClient
import RosterCore
import Testing
import TimeCore

@Suite("A token that changes hands after a start", .serialized)
struct HandOverTests {
    private static let unsent = #""devices":"unsent""#

    /// Starts an activity for logins of one phone. The first login has the push-to-start token.
    private func started(_ stage: TestStage, logins: Int = 3) async throws -> String {
        try await stage.addDevices(3)
        for login in [2, 1, 0] { try await stage.logIn(login) }
        let id = try await stage.register(logins)
        #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
        #expect(stage.sharedStarts == 1)
        return id
    }

    /// A restart that starts no device because the present login's phone may show the Live Activity.
    private func isActive(_ stage: TestStage, _ id: String, _ devices: String = unsent) async throws {
        let before = stage.sharedStarts
        let answer = try await stage.call("restart", TestStage.body(id, more: devices))
        #expect(answer.code == "NO_ELIGIBLE_DEVICE", "\(devices): \(answer.text)")
        #expect(answer.skipped("active") > 0, "\(devices): \(answer.text)")
        #expect(stage.sharedStarts == before)
    }

    @Test("A restart of unsent devices skips a login whose phone shows the activity, and so does the way back")
    func restart() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            try await stage.logIn(1)
            try await stage.logIn(0)
            let id = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
            #expect(stage.sharedStarts == 1)
            for login in [1, 0, 1] {
                try await stage.logIn(login)
                let answer = try await stage.call("restart", TestStage.body(id, more: Self.unsent))
                #expect(answer.code == "NO_ELIGIBLE_DEVICE", "\(answer.text)")
                #expect(answer.skipped("active") == 1, "\(answer.text)")
            }
            #expect(stage.sharedStarts == 1)
            // Another activity is started for the login that reported last.
            let other = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 2)
            #expect(stage.sharedStarts == 2)
        }
    }

    @Test("A third login gets no start while the phone shows a former login's Live Activity")
    func thirdLogin() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            #expect(try await stage.sync(0, id).status == 200)
            try await stage.logIn(1)
            try await isActive(stage, id)
            // The first login's has ended, so the second one gets its own.
            let first = #""target_devices":[\#(TestStage.targets([0]))]"#
            #expect(try await stage.call("end", TestStage.body(id, content: nil, more: first)).accepted == 1)
            #expect(try await stage.call("restart", TestStage.body(id, more: Self.unsent)).accepted == 1)
            #expect(stage.sharedStarts == 2)
            #expect(try await stage.sync(1, id).status == 200)
            try await stage.logIn(2)
            try await isActive(stage, id)
            let tokens = [ReportedToken(own: TestStage.updateToken(0), start: TestStage.sharedToken)]
            #expect(stage.phones(tokens: tokens)[77].liveActivities.map(\.isOver) == [true, false])
            let second = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("end", TestStage.body(id, content: nil, more: second)).accepted == 1)
            #expect(try await stage.call("restart", TestStage.body(id, more: Self.unsent)).accepted == 1)
            #expect(stage.sharedStarts == 3)
        }
    }

    @Test("A restart for the present login waits for the end of a former login's Live Activity")
    func endUnderWay() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            #expect(try await stage.sync(0, id).status == 200)
            try await stage.logIn(1)
            stage.mock.setScript(.slow(.milliseconds(500)))
            let former = #""target_devices":[\#(TestStage.targets([0]))]"#
            let end = TestStage.body(id, content: nil, more: former)
            #expect(try await stage.call("end", end, headers: ["Prefer": "respond-async"]).status == 202)
            try await stage.eventually("the end has not left") { stage.pushes(.end).count == 1 }
            let present = #""target_devices":[\#(TestStage.targets([1]))]"#
            let answer = try await stage.call("restart", TestStage.body(id, more: present))
            #expect(answer.accepted == 1, "\(answer.text)")
            let tokens = [ReportedToken(own: TestStage.updateToken(0), start: TestStage.sharedToken)]
            #expect(stage.phones(tokens: tokens)[77].liveActivities.map(\.isOver) == [true, false])
        }
    }

    @Test("A third login gets no second start when the second one was never started")
    func passedOn() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            for login in [1, 2, 1, 2, 0, 2] {
                try await stage.logIn(login)
                try await isActive(stage, id)
            }
        }
    }

    @Test(
        "A start in doubt is repeated for the present login when the customer asks for devices in doubt or names it",
        arguments: [#""devices":"unknown""#, #""target_devices":[\#(TestStage.targets([1]))]"#])
    func unknown(asking: String) async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            try await stage.setStatus(5, of: 0, in: id)
            try await stage.logIn(1)
            try await isActive(stage, id)
            for devices in ["failed", "not_synced"] {
                let answer = try await stage.call("restart", TestStage.body(id, more: #""devices":"\#(devices)""#))
                #expect(answer.code == "NO_ELIGIBLE_DEVICE", "\(answer.text)")
            }
            #expect(stage.sharedStarts == 1)
            let answer = try await stage.call("restart", TestStage.body(id, more: asking))
            #expect(answer.accepted == 1, "\(answer.text)")
            #expect(stage.sharedStarts == 2)
            #expect(try await stage.statuses(id) == [5: 1, 3: 1, 1: 1])
            // The new start is known to have come, so there is no doubt any more.
            #expect(try await stage.sync(1, id).status == 200)
            try await isActive(stage, id, asking)
            try await stage.logIn(2)
            for devices in [Self.unsent, #""devices":"unknown""#] { try await isActive(stage, id, devices) }
            let third = #""target_devices":[\#(TestStage.targets([2]))]"#
            try await isActive(stage, id, third)
        }
    }

    @Test("A restart of not_synced replaces a silent Live Activity under the present login, and leaves one in use")
    func notSynced() async throws {
        let notSynced = #""devices":"not_synced","older_than":0"#
        try await TestStage.run { stage in
            let id = try await started(stage)
            try await stage.logIn(1)
            try await isActive(stage, id)
            #expect(try await stage.call("restart", TestStage.body(id, more: notSynced)).accepted == 1)
            #expect(stage.sharedStarts == 2)
            let other = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 1)
            #expect(try await stage.sync(1, other).status == 200)
            try await stage.logIn(2)
            for devices in [notSynced, #""devices":"unknown""#] {
                let answer = try await stage.call("restart", TestStage.body(other, more: devices))
                #expect(answer.code == "NO_ELIGIBLE_DEVICE", "\(answer.text)")
            }
            try await isActive(stage, other, #""target_devices":[\#(TestStage.targets([2]))]"#)
            #expect(stage.sharedStarts == 3)
        }
    }

    @Test("A login outside a start's list is started only if a restart names it")
    func list() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(3)
            for login in [2, 1, 0] { try await stage.logIn(login) }
            let id = try await stage.register(3)
            let first = #""target_devices":[\#(TestStage.targets([0]))]"#
            #expect(try await stage.call("start", TestStage.body(id, more: first)).accepted == 1)
            try await stage.setStatus(5, of: 0, in: id)
            try await stage.logIn(1)
            let unknown = try await stage.call("restart", TestStage.body(id, more: #""devices":"unknown""#))
            #expect(unknown.code == "NO_ELIGIBLE_DEVICE", "\(unknown.text)")
            let named = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("restart", TestStage.body(id, more: named)).accepted == 1)
            #expect(stage.sharedStarts == 2)
        }
    }

    /// A login reports the Live Activity; the answer names the activity.
    private func report(_ stage: TestStage, _ login: Int, _ id: String, token: UInt8, name: String?) async throws {
        let name = name.map { #","system_activity_id":"\#($0)""# } ?? ""
        let body = TestStage.syncBody(login, #""activity_id":"\#(id)"\#(name)"#, token: [token, 1])
        let answer = try await stage.report("POST", "sync", body)
        #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(login): \(answer.text)")
    }

    /// An update reaches the phone's Live Activity once, by this token.
    private func isUpdatedOnce(_ stage: TestStage, _ id: String, token: UInt8) async throws {
        let before = stage.pushes(.update).count
        #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        let pushes = stage.pushes(.update).dropFirst(before)
        #expect(pushes.map(\.token) == [TestStage.hex([token, 1])])
    }

    @Test(
        "A Live Activity that several logins report is updated once, and is that of the login it was started for",
        arguments: [nil, "shown"], [0, 1])
    func oneLiveActivity(name: String?, first: Int) async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            // Either login reports it first.
            if first == 0 { try await report(stage, 0, id, token: 1, name: name) }
            for login in [1, 2, 0] {
                try await stage.logIn(login)
                for _ in 0..<2 { try await report(stage, login, id, token: 1, name: name) }
                try await isUpdatedOnce(stage, id, token: 1)
            }
            // A later token replaces the first one, also from another login.
            try await stage.logIn(1)
            try await report(stage, 1, id, token: 2, name: name)
            try await isUpdatedOnce(stage, id, token: 2)
            #expect(try await stage.state(0, in: id).state == "active")
            #expect(try await stage.state(1, in: id).state == "unsent")
            // An end for the other login ends nothing.
            let second = #""target_devices":[\#(TestStage.targets([1]))]"#
            _ = try await stage.call("end", TestStage.body(id, content: nil, more: second))
            #expect(stage.pushes(.end).isEmpty)
            try await isUpdatedOnce(stage, id, token: 2)
        }
    }

    @Test("The second login may report the Live Activity by its type, and that it is gone")
    func byType() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            try await report(stage, 0, id, token: 1, name: nil)
            try await stage.logIn(1)
            let type = #""activity_type":"\#(TestStage.type)""#
            for token in [UInt8(1), 2] {
                let answer = try await stage.report("POST", "sync", TestStage.syncBody(1, type, token: [token, 1]))
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
                try await isUpdatedOnce(stage, id, token: token)
            }
            #expect(try await stage.dismiss(1, type).status == 200)
            #expect(try await stage.state(0, in: id) == ("ended", "user_dismissed"))
            #expect(try await stage.state(1, in: id).state == "unsent")
        }
    }

    @Test("A second login's report by type belongs to the Live Activity with its token")
    func byTypeOfSeveral() async throws {
        try await TestStage.run { stage in
            let first = try await started(stage)
            let second = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(second)).accepted == 1)
            let tokens = [(UInt8(1), first), (UInt8(2), second)]
            for (token, id) in tokens { try await report(stage, 0, id, token: token, name: nil) }
            try await stage.logIn(1)
            let type = #""activity_type":"\#(TestStage.type)""#
            for (token, id) in tokens {
                let answer = try await stage.report("POST", "sync", TestStage.syncBody(1, type, token: [token, 1]))
                #expect(answer.status == 200 && answer["activity_id"]?.string == id, "\(answer.text)")
                try await isUpdatedOnce(stage, id, token: token)
            }
            // A token that neither has had may be the new one of either.
            let unknown = try await stage.report("POST", "sync", TestStage.syncBody(1, type, token: [3, 1]))
            #expect(unknown.status == 409 && unknown.code == "ACTIVITY_AMBIGUOUS", "\(unknown.text)")
            #expect(try await stage.dismiss(1, type).code == "ACTIVITY_AMBIGUOUS")
            let token = #","token":"\#(TestStage.hex([2, 1]))""#
            #expect(try await stage.dismiss(1, type + token).status == 200)
            #expect(try await stage.state(0, in: second) == ("ended", "user_dismissed"))
            #expect(try await stage.state(0, in: first).state == "active")
        }
    }

    @Test(
        "A login that is not in the activity reports a former login's Live Activity, new token and dismissal",
        arguments: [nil, "shown"])
    func outside(name: String?) async throws {
        try await TestStage.run { stage in
            let id = try await started(stage, logins: 1)
            try await report(stage, 0, id, token: 1, name: name)
            try await stage.logIn(1)
            for token in [UInt8(1), 2] {
                try await report(stage, 1, id, token: token, name: name)
                try await isUpdatedOnce(stage, id, token: token)
            }
            let named = name.map { #""system_activity_id":"\#($0)""# } ?? #""activity_id":"\#(id)""#
            let body = #"{\#(TestStage.key(1).fields),\#(named)}"#
            if name == nil { #expect(try await stage.report("POST", "sync", body)["activity_id"]?.string == id) }
            #expect(try await stage.report("POST", "tap", body)["activity_id"]?.string == id)
            // The third login did not have the phone while the activity ran.
            #expect(try await stage.sync(2, id, token: [3, 1]).status == 404)
            #expect(try await stage.dismiss(2, named).status == 404)
            try await isUpdatedOnce(stage, id, token: 2)
            // A login that has left the phone may not report its Live Activities.
            try await stage.logIn(0)
            #expect(try await stage.sync(1, id, token: [3, 1]).status == 404)
            #expect(try await stage.dismiss(1, named).status == 404)
            try await isUpdatedOnce(stage, id, token: 2)
            try await stage.logIn(1)
            #expect(try await stage.dismiss(1, named).status == 200)
            #expect(try await stage.state(0, in: id) == ("ended", "user_dismissed"))
        }
    }

    @Test("An ended Live Activity of the former login is not taken for the new login's own", arguments: [true, false])
    func endedBesideOwn(byType: Bool) async throws {
        try await TestStage.run { stage in
            let first = try await started(stage, logins: 1)
            try await report(stage, 0, first, token: 1, name: "one")
            try await stage.logIn(1)
            #expect(try await stage.call("end", TestStage.body(first)).accepted == 1)
            let second = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(second)).accepted == 1)
            try await report(stage, 1, second, token: 2, name: "two")
            // The phone still shows it, because its token was replaced before the end.
            let reference = byType ? #""activity_type":"\#(TestStage.type)""# : #""activity_id":"\#(second)""#
            let late = TestStage.syncBody(1, #"\#(reference),"system_activity_id":"one""#, token: [3, 1])
            #expect(try await stage.report("POST", "sync", late).status == 200)
            try await stage.eventually { stage.pushes(.end).last?.token == TestStage.hex([3, 1]) }
            try await isUpdatedOnce(stage, second, token: 2)
        }
    }

    @Test("A token or name separates a former login's Live Activity from an own one; else the report is refused")
    func byTypeBesideOwn() async throws {
        try await TestStage.run { stage in
            let first = try await started(stage, logins: 1)
            try await report(stage, 0, first, token: 1, name: "one")
            try await stage.logIn(1)
            let second = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(second)).accepted == 1)
            let type = #""activity_type":"\#(TestStage.type)""#
            func reportByType(_ token: UInt8, _ name: String?) async throws -> TestStage.Answer {
                let more = name.map { #","system_activity_id":"\#($0)""# } ?? ""
                return try await stage.report("POST", "sync", TestStage.syncBody(1, type + more, token: [token, 1]))
            }
            // The only Live Activity without a token takes an unknown one.
            for (token, name, id) in [
                (UInt8(2), nil, second), (1, nil, first), (1, "one", first), (3, "one", first), (2, "two", second),
                (4, "two", second), (3, nil, first), (4, nil, second),
            ] {
                let answer = try await reportByType(token, name)
                #expect(answer["activity_id"]?.string == id, "\(token): \(answer.text)")
                try await isUpdatedOnce(stage, id, token: token)
            }
            // An unknown token may be the new one of either.
            #expect(try await reportByType(5, nil).code == "ACTIVITY_AMBIGUOUS")
            #expect(try await stage.dismiss(1, type).code == "ACTIVITY_AMBIGUOUS")
            for (token, id) in [(UInt8(3), first), (4, second)] { try await isUpdatedOnce(stage, id, token: token) }
        }
    }

    @Test("A token of the second login's own Live Activity in another activity stays there")
    func ownElsewhere() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            try await report(stage, 0, id, token: 1, name: nil)
            try await stage.logIn(1)
            let other = try await stage.register(3)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 1)
            try await report(stage, 1, other, token: 2, name: nil)
            let late = TestStage.syncBody(1, #""activity_id":"\#(id)""#, token: [2, 1])
            #expect(try await stage.report("POST", "sync", late)["activity_id"]?.string == other)
            try await isUpdatedOnce(stage, id, token: 1)
        }
    }

    @Test("A token that the second login reports ahead of the push-to-start token has one place from then on")
    func reportedEarly() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            for login in [0, 1] { try await report(stage, login, id, token: 1, name: nil) }
            try await stage.logIn(1)
            try await isUpdatedOnce(stage, id, token: 1)
            try await report(stage, 1, id, token: 1, name: nil)
            try await isUpdatedOnce(stage, id, token: 1)
            #expect(try await stage.state(0, in: id).state == "active")
        }
    }

    @Test("A login's own Live Activity, started after the former login's has ended, keeps its tokens")
    func ownLiveActivity() async throws {
        try await TestStage.run { stage in
            let id = try await started(stage)
            try await report(stage, 0, id, token: 1, name: "former")
            try await stage.logIn(1)
            // The present login reports that the former one's was dismissed.
            let names = #""activity_id":"\#(id)","system_activity_id":"former""#
            #expect(try await stage.dismiss(1, names).status == 200)
            #expect(try await stage.state(0, in: id) == ("ended", "user_dismissed"))
            #expect(try await stage.state(1, in: id).state == "unsent")
            #expect(try await stage.call("restart", TestStage.body(id, more: Self.unsent)).accepted == 1)
            #expect(stage.sharedStarts == 2)
            try await report(stage, 1, id, token: 2, name: "own")
            try await isUpdatedOnce(stage, id, token: 2)
            // The former one's token comes late.
            try await report(stage, 1, id, token: 1, name: nil)
            try await isUpdatedOnce(stage, id, token: 2)
            for login in [0, 1] {
                try await stage.logIn(login)
                for name in [nil, "own"] { try await report(stage, login, id, token: 3, name: name) }
                try await isUpdatedOnce(stage, id, token: 3)
            }
        }
    }

    @Test(
        "A Live Activity that an app opened has one place, also when another login of the phone reports it",
        arguments: [false, true])
    func openedByApp(isOwn: Bool) async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            try await stage.logIn(0)
            let scope = isOwn ? #","external_scope":"user""# : ""
            let external = #""activity_type":"\#(TestStage.type)","external_id":"order"\#(scope)"#
            func report(_ login: Int, _ token: UInt8) async throws -> String {
                let body = TestStage.syncBody(login, external, token: [token, 1])
                let answer = try await stage.report("POST", "sync", body)
                return try #require(answer["activity_id"]?.string, "\(answer.text)")
            }
            let id = try await report(0, 1)
            try await stage.logIn(1)
            #expect(try await report(1, 1) == id)
            try await isUpdatedOnce(stage, id, token: 1)
            // The second login opens one of its own.
            #expect(try await (report(1, 2) == id) == !isOwn)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == (isOwn ? 1 : 2))
        }
    }

    @Test("A follower who signs in on a phone that shows the topic gets no second start, until the first one has ended")
    func topic() async throws {
        let clock = TestClock()
        try await TestStage.run(clock: clock) { stage in
            try await stage.logIn(0)
            _ = try await stage.put("t", TestStage.topic("live", 1))
            _ = try await stage.follow(0, "t")
            let id = try await stage.activity(of: "t")
            try await stage.eventually { stage.sharedStarts == 1 }
            try await stage.settled()
            #expect(try await stage.sync(0, id).status == 200)
            clock.advance(seconds: 1)
            try await stage.logIn(1)
            let byTopic = TestStage.syncBody(1, #""topic":"t""#, token: TestStage.updateToken(0))
            #expect(try await stage.report("POST", "sync", byTopic)["activity_id"]?.string == id)
            _ = try await stage.follow(1, "t")
            clock.advance(seconds: 31)
            try await stage.lookedAt("t")
            #expect(stage.sharedStarts == 1)
            _ = try await stage.follow(0, "t", false)
            try await stage.eventually { stage.pushes(.end).count == 1 }
            try await stage.eventually { try await stage.state(0, in: id) == ("ended", "user_unfollow") }
            clock.advance(seconds: 31)
            try await stage.eventually { stage.sharedStarts == 2 }
            let tokens = [ReportedToken(own: TestStage.updateToken(0), start: TestStage.sharedToken)]
            let phone = stage.phones(TestStage.topicApp, tokens: tokens)[77]
            #expect(phone.liveActivities.map(\.isOver) == [true, false])
            #expect(phone.liveActivities.map(\.attributes) == [Array(#"{"m":1}"#.utf8), Array(#"{"m":1}"#.utf8)])
            #expect(phone.drops == [])
        }
    }

    @Test("A start waits for a token that moves between two logins, but not for ever")
    func movingToken() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            for isConcluded in [true, false] {
                let id = try await stage.register(2)
                let page = "fanfare:{\(id).0}:s:0"
                let cells = try #require(try await stage.redis(RedisCommand("GET", page)).bytes)
                var moving = cells
                moving.replaceSubrange(1..<3, with: TokenPage.cellOfMovingToken)
                _ = try await stage.redis(RedisCommand("SET", page, moving, "KEEPTTL"))
                let before = stage.pushes(.start).count
                async let answer = stage.call("start", TestStage.body(id))
                try await Task.sleep(for: .milliseconds(200))
                #expect(stage.pushes(.start).count == before)
                if isConcluded { _ = try await stage.redis(RedisCommand("SET", page, cells, "KEEPTTL")) }
                let reply = try await answer
                #expect(reply.accepted == (isConcluded ? 2 : 1), "\(reply.text)")
                #expect(reply.skipped("no_push_to_start_token") == (isConcluded ? 0 : 1), "\(reply.text)")
            }
        }
    }
}
