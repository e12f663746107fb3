import APNs
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import Testing
import TimeCore

@Suite("Activities with a channel", .serialized)
struct ChannelLifeTests {
    private static let (count, old) = (8, 2)

    /// A started activity of eight devices, the first two of which know no channels.
    private func started(_ stage: TestStage, options: String = "{}") async throws -> (id: String, channel: String) {
        try await stage.addDevices(Self.count)
        try await stage.age(0..<Self.old)
        let id = try await stage.register(Self.count, options: options)
        let start = try await stage.call("start", TestStage.body(id))
        #expect(start.accepted == Self.count, "\(start.text)")
        #expect(start.cohort("apns") == [2, 2] && start.cohort("channel") == [6, 6])
        return (id, try #require(try stage.channelFollowed()))
    }

    @Test("When the signing key is replaced, channels are reached, deleted and made with the new one")
    func replacedKey() async throws {
        try await TestStage.runWithChannels { stage in
            let (id, channel) = try await started(stage)
            var options = stage.options
            options.credential = .init(
                keyFile: stage.mock.secondKeyFile, keyIdentifier: stage.mock.secondKeyID,
                teamIdentifier: stage.mock.teamID)
            #expect(stage.gateways[0].replaceCredentials(options).apns == ["": .inForce])
            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.accepted == 1, "\(end.text)")
            try await stage.eventually("the channel stays") { stage.mock.channel(channel)?.isDeleted == true }
            try await stage.eventually("no other one is ready") { stage.mock.channels().count == 1 }
        }
    }

    @Test("Those who can start with it, and one push updates and ends them all, without a sync")
    func life() async throws {
        try await TestStage.runWithChannels { stage in
            let (id, channel) = try await started(stage)
            let followers = Set((Self.old..<Self.count).map { TestStage.hex(TestStage.startToken($0)) })
            #expect(stage.mock.followers(of: channel) == followers)
            let old = stage.pushes(.start).filter { $0.aps("input-push-channel") == nil }
            #expect(old.count == Self.old && old.allSatisfy { $0.aps("input-push-token")?.int64 == 1 })

            let content = #"{"content_state":{"home":1.0,"away":1e0}}"#
            let update = try await stage.call("update", TestStage.body(id, content: content))
            #expect(update.accepted == 1 && update.skipped("not_synced") == 2, "\(update.text)")
            #expect(update.cohort("channel") == [6, 1] && update["cohorts", "apns"] == nil)
            try await stage.syncAll(0..<1, id)
            let second = try await stage.call("update", TestStage.body(id, content: content))
            #expect(second.accepted == 2 && second.cohort("apns") == [1, 1], "\(second.text)")
            let published = stage.mock.publishes(to: channel)
            #expect(published.count == 2 && published.allSatisfy { $0.followers == 6 && $0.event == .update })
            let text = String(decoding: published.last?.payload ?? [], as: UTF8.self)
            #expect(text.contains(#""content-state":{"home":1.0,"away":1e0}"#))
            let broadcast = try await stage.read(
                "/api/v1/live-activity/broadcasts/\(second["broadcast_id"]?.string ?? "")")
            #expect(broadcast.cohort("channel") == [6, 1] && broadcast["total"]?.int64 == 3)

            var status = try await stage.status(id)
            #expect(
                status["cohorts", "channel", "devices"]?.int64 == 6 && status["options", "channel"]?.string == "auto")
            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.accepted == 2 && end.cohort("channel") == [6, 1], "\(end.text)")
            #expect(stage.mock.publishes(to: channel).last?.event == .end && stage.devicePushes(.end).count == 1)
            status = try await stage.status(id)
            #expect(status["cohorts", "channel", "ended"]?.int64 == 6, "\(status.text)")
            let listed = try await stage.read("/api/v1/live-activity/\(id)/devices?state=ended").elements("devices")
            #expect(listed.count { $0.text("cohort") == "channel" && $0.text("end_reason") == "ended_by_api" } == 6)

            // The channel is given back, and another one is ready.
            try await stage.eventually("the channel stays") { stage.mock.channel(channel)?.isDeleted == true }
            try await stage.eventually { stage.mock.channels().count == 1 }
        }
    }

    @Test("An update removes a channel that Apple has deleted, and a restart reaches its followers by tokens")
    func deletedChannel() async throws {
        let log = CapturedLog()
        try await TestStage.runWithChannels(logger: log.logger(.warning)) { stage in
            let (id, channel) = try await started(stage)
            // A follower that has reported its Live Activity is started again too.
            #expect(try await stage.shown(5, id).status == 200)
            #expect(stage.mock.removeChannel(channel))
            let lost = try await stage.call("update", TestStage.body(id))
            #expect(lost.failed("ChannelNotRegistered") == 1, "\(lost.text)")
            let starts = stage.pushes(.start).count
            let again = try await stage.call(
                "restart", TestStage.body(id, more: #""devices":"not_synced","older_than":0"#))
            #expect(again.accepted == Self.count, "\(again.text)")
            let restarted = stage.pushes(.start).dropFirst(starts)
            #expect(restarted.allSatisfy { $0.aps("input-push-token")?.int64 == 1 })
            try await stage.syncAll(0..<Self.count, id)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == Self.count, "\(update.text)")
            #expect(try await stage.call("end", TestStage.body(id)).accepted == Self.count)
            let lines = try log.read().filter { $0.message == "broadcast channel deleted at Apple" }
            #expect(lines.count == 1 && lines.first?.metadata["channel"] == channel, "\(lines)")
            #expect(lines.first?.metadata["activity_id"] == id && lines.first?.metadata["remedy"] != nil)
        }
    }

    @Test("A follower gets 404 when its channel was deleted before the end, so its app ends the Live Activity")
    func deletedBeforeEnd() async throws {
        try await TestStage.runWithChannels { stage in
            let (id, channel) = try await started(stage)
            #expect(stage.mock.removeChannel(channel))
            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.failed("ChannelNotRegistered") == 1, "\(end.text)")
            #expect(try await stage.shown(5, id).status == 404)
        }
    }

    @Test("A restart uses a token for a device whose start was refused because of its channel")
    func refusedForChannel() async throws {
        try await TestStage.runWithChannels { stage in
            let token = TestStage.hex(TestStage.startToken(7))
            let rule = #"{"tokens":["\#(token)"],"status":400,"reason":"ChannelNotRegistered"}"#
            try stage.mock.setScript(json: Array(#"{"rules":[\#(rule)]}"#.utf8))
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == Self.count - 1 && start.failed("ChannelNotRegistered") == 1, "\(start.text)")
            stage.mock.setScript(MockScript())
            let again = try await stage.call("restart", TestStage.body(id, more: #""devices":"failed""#))
            #expect(again.accepted == 1, "\(again.text)")
            #expect(stage.pushes(.start).last?.aps("input-push-token")?.int64 == 1)
        }
    }

    @Test("Whoever begins to follow the channel behind an update gets it too")
    func lateFollower() async throws {
        try await TestStage.runWithChannels { stage in
            let slow = TestStage.hex(TestStage.startToken(7))
            let rule = #"{"tokens":["\#(slow)"],"status":429,"reason":"TooManyRequests","retry_after":1,"limit":1}"#
            try stage.mock.setScript(json: Array(#"{"rules":[\#(rule)]}"#.utf8))
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(start.status == 202, "\(start.text)")
            var update: TestStage.Answer?
            try await stage.eventually("nobody follows yet") {
                update = try await stage.call("update", TestStage.body(id))
                return update?.status == 200
            }
            // One push at once, and one when the start is over.
            #expect(update?.accepted == 2, "\(update?.text ?? "")")
            let channel = try #require(try stage.channelFollowed())
            #expect(stage.mock.publishes(to: channel).map(\.followers) == [Self.count - 1, Self.count])
        }
    }

    @Test("An end comes to the channel behind the starts that are on their way, so it ends what they begin")
    func endBehindStarts() async throws {
        try await TestStage.runWithChannels { stage in
            try stage.mock.setScript(json: Array(#"{"latency":{"fixed_ms":800}}"#.utf8))
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            let start = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(start.status == 202, "\(start.text)")
            try await stage.eventually { stage.pushes(.start).count == Self.count }
            let end = try await stage.call("end", TestStage.body(id, more: #""options":{"force":true}"#))
            #expect(end.accepted == 1, "\(end.text)")
            let channel = try #require(try stage.channelFollowed())
            #expect(stage.mock.publishes(to: channel).map(\.followers) == [Self.count])
        }
    }

    @Test("Of updates that come faster than they are pushed the newest is; the others count it as superseded")
    func superseded() async throws {
        try await TestStage.runWithChannels(gateways: 2) { stage in
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == Self.count)
            try stage.mock.setScript(json: Array(#"{"latency":{"fixed_ms":300}}"#.utf8))
            var broadcasts: [UniqueID] = []
            for number in 0..<4 {
                broadcasts.append(try await stage.begin("update", TestStage.body(id), gateway: number % 2))
            }
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 1)
            let channel = try #require(try stage.channelFollowed())
            var accepted: Int64 = 0
            for broadcast in broadcasts {
                let ended = try await stage.ended(broadcast)
                let isSent = ended["accepted"]?.int64 == 1
                accepted += isSent ? 1 : 0
                #expect(ended["total"]?.int64 == 1 && ended.skipped("superseded") == (isSent ? 0 : 1), "\(ended.text)")
            }
            #expect(stage.mock.publishes(to: channel).count == Int(accepted) + 1)
            #expect(accepted < 4)
        }
    }

    @Test("A list goes by token, where there is one; who has none counts as not synced")
    func targets() async throws {
        try await TestStage.runWithChannels { stage in
            let (id, channel) = try await started(stage)
            try await stage.syncAll(5..<6, id)
            let list = #""target_devices":[\#(TestStage.targets([4, 5]))]"#
            let update = try await stage.call("update", TestStage.body(id, more: list))
            #expect(
                update.accepted == 1 && update.skipped("not_synced") == 1 && update["cohorts"] == nil, "\(update.text)")
            #expect(stage.devicePushes(.update).map(\.token) == [TestStage.hex(TestStage.updateToken(5))])
            let nobody = try await stage.call(
                "end", TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([4]))]"#))
            #expect(nobody.code == "DEVICE_NOT_SYNCED")
            #expect(stage.mock.publishes(to: channel).isEmpty)
        }
    }

    @Test("There is one from so many devices on, or however few there are where it is required")
    func threshold() async throws {
        try await TestStage.runWithChannels(threshold: 7) { stage in
            try await stage.addDevices(Self.count)
            try await stage.age(0..<Self.old)
            for (options, hasChannel) in [
                ("{}", false), (#"{"channel":"never"}"#, false), (#"{"channel":"required"}"#, true),
            ] {
                let before = stage.pushes(.start).count
                let id = try await stage.register(Self.count, options: options)
                let start = try await stage.call("start", TestStage.body(id))
                #expect(start.accepted == Self.count, "\(start.text)")
                let starts = stage.pushes(.start).dropFirst(before)
                #expect(starts.count { $0.aps("input-push-channel") != nil } == (hasChannel ? 6 : 0), "\(options)")
                // Without one they report a token each, as all others do.
                try await stage.syncAll(0..<Self.count, id)
                let update = try await stage.call("update", TestStage.body(id))
                #expect(update.accepted == (hasChannel ? 3 : 8), "\(update.text)")
                #expect(try await stage.call("end", TestStage.body(id)).status == 200)
            }
        }
    }

    @Test(
        "Where Apple gives no channel, or nobody answers, the start goes by tokens",
        arguments: [
            #"{"channels":{"limit":0}}"#, #"{"channels":{"enabled":false}}"#,
            #"{"rules":[{"event":"create_channel","status":500,"reason":"InternalServerError"}]}"#,
        ])
    func without(script: String) async throws {
        try await TestStage.runWithChannels(pool: 0, configure: { $0.channels?.patience = .seconds(1) }) { stage in
            try stage.mock.setScript(json: Array(script.utf8))
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == Self.count && start["cohorts"] == nil, "\(start.text)")
            #expect(try stage.channelFollowed() == nil)
            try await stage.syncAll(0..<3, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 3)
        }
    }

    @Test("Each way has its own limit of bytes, which is looked at before anything is locked or sent")
    func sizes() async throws {
        try await TestStage.runWithChannels { stage in
            func content(_ length: Int) -> String {
                #"{"title":"t","message":"m","content_state":{"a":"\#(String(repeating: "x", count: length))"}}"#
            }
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            var length = 4_000
            while true {
                let start = try await stage.call("start", TestStage.body(id, content: content(length)))
                guard start.code == "PAYLOAD_TOO_LARGE" else {
                    #expect(start.accepted == Self.count, "\(start.text)")
                    break
                }
                #expect(start["error"]?.string?.contains("4096") == true)
                length -= 1
            }
            #expect(
                stage.pushes(.start).allSatisfy { $0.payload.count == 4_096 && $0.aps("input-push-channel") != nil })
            #expect(try await stage.call("update", TestStage.body(id, content: content(4_900))).accepted == 1)
            let over = try await stage.call("update", TestStage.body(id, content: content(5_100)))
            #expect(over.code == "PAYLOAD_TOO_LARGE" && over.text.contains("channel"), "\(over.text)")
            // To a list it goes by tokens.
            try await stage.syncAll(0..<1, id)
            let list = #""target_devices":[\#(TestStage.targets([0]))]"#
            let listed = try await stage.call("update", TestStage.body(id, content: content(4_900), more: list))
            #expect(listed.code == "PAYLOAD_TOO_LARGE")
        }
    }

    @Test("What Apple is to keep for phones that are off is asked for, and decides the expiration of pushes")
    func storage() async throws {
        try await TestStage.runWithChannels { stage in
            for (options, keeps) in [("{}", true), (#"{"channel":"required","channel_storage":"none"}"#, false)] {
                let before = Set(stage.mock.channels().keys)
                try await stage.addDevices(Self.count)
                let id = try await stage.register(Self.count, options: options)
                #expect(try await stage.call("start", TestStage.body(id)).accepted == Self.count)
                let channel = try #require(stage.pushes(.start).last?.aps("input-push-channel")?.string)
                #expect(keeps || !before.contains(channel))
                #expect(stage.mock.channel(channel)?.storesMessages == keeps)
                #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
                let published = try #require(stage.mock.publishes(to: channel).first)
                #expect((published.expiration > 0) == keeps)
                let told = try await stage.status(id)
                #expect(told["options", "channel_storage"]?.string == (keeps ? "newest" : "none"))
            }
        }
    }

    @Test("Of starts at once one wins, and all of them have asked for one channel")
    func race() async throws {
        try await TestStage.runWithChannels(gateways: 2, pool: 0) { stage in
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            let codes = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { try await stage.call("start", TestStage.body(id), gateway: number % 2).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == 200 } == 1 && codes.count { $0 == 409 } == 7)
            let channel = try #require(try stage.channelFollowed())
            #expect(stage.mock.followers(of: channel).count == Self.count)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        }
    }

    @Test("A device that a restart starts follows as well, and a dismissed one does not count")
    func restart() async throws {
        try await TestStage.runWithChannels { stage in
            let (id, channel) = try await started(stage)
            let dismissed = try await stage.dismiss(7, #""activity_id":"\#(id)""#)
            #expect(dismissed.status == 200)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.cohort("channel") == [5, 1], "\(update.text)")
            let before = stage.pushes(.start).count
            let restart = try await stage.call(
                "restart", TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([7]))]"#))
            #expect(restart.accepted == 1 && restart.cohort("channel") == [1, 1], "\(restart.text)")
            #expect(stage.pushes(.start).dropFirst(before).map { $0.aps("input-push-channel")?.string } == [channel])
            let again = try await stage.call("update", TestStage.body(id))
            #expect(again.cohort("channel") == [6, 1], "\(again.text)")
        }
    }
}
