import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import PushClient
import RedisClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("A provider in trouble costs nobody the Live Activity", .serialized)
struct ProviderTroubleTests {
    private func everything(_ answer: MockRule.Action) -> MockScript {
        var script = MockScript.always(answer)
        script.streamLimit = .init(usual: 100)
        return script
    }

    private func status(_ stage: TestStage, _ start: TestStage.Answer) async throws -> TestStage.Answer {
        try await stage.read(try #require(start.headers["location"]))
    }

    /// The one line with this message.
    private func only(_ log: CapturedLog, _ message: String) throws -> CapturedLog.Line {
        let lines = try log.read().filter { $0.message == message }
        #expect(lines.count == 1)
        return try #require(lines.first)
    }

    private func expectOneEach(_ stage: TestStage, _ ended: TestStage.Answer, _ count: Int) {
        #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == Int64(count), "\(ended.text)")
        let accepted = stage.pushes(.start).filter { $0.answer == .answered(status: 200, reason: nil) }.map(\.token)
        #expect(accepted.count == count && Set(accepted).count == count)
    }

    private func begin(_ stage: TestStage, _ id: String, more: String = "", gateway: Int = 0) async throws
        -> (answer: TestStage.Answer, broadcast: UniqueID)
    {
        let answer = try await stage.call(
            "start", TestStage.body(id, more: more), headers: ["Prefer": "respond-async"], gateway: gateway)
        try #require(answer.status == 202, "\(answer.text)")
        return (answer, try #require(answer.broadcastID))
    }

    @Test(
        "While the provider is out of order a start is paused and says so, and then reaches everybody",
        arguments: [
            (503, "ServiceUnavailable"), (500, "InternalServerError"), (429, "TooManyProviderTokenUpdates"),
            (403, "InvalidProviderToken"), (400, "BadTopic"), (400, "TopicDisallowed"),
            (400, "DeviceTokenNotForTopic"),
        ])
    func outOfOrder(status: Int, reason: String) async throws {
        let log = CapturedLog()
        let count = 600
        try await TestStage.run(logger: log.logger(.notice), configure: { $0.bearTrouble() }) { stage in
            try await stage.addDevices(count)
            let id = try await stage.register(count)
            stage.mock.setScript(everything(.answer(status: status, reason: reason)))
            let start = try await begin(stage, id)
            var seen: TestStage.Answer?
            try await stage.eventually("it is not paused") {
                seen = try await self.status(stage, start.answer)
                return seen?["state"]?.string == "paused"
            }
            #expect(seen?["reason"]?.string == reason && seen?["paused_since"]?.string != nil, "\(seen?.text ?? "")")
            let ready = try await stage.ready()
            #expect(ready.status == 200 && ready.text.contains("provider_paused"), "\(ready.text)")
            let line = try only(log, "push provider unavailable, broadcasts paused")
            #expect(line.level == "error" && line.metadata["reason"] == reason && line.metadata["remedy"] != nil)
            let kind = try #require(line.metadata["kind"])
            let paused = ["provider": stage.mock.url, "reason": kind]
            var page = try await stage.metrics()
            #expect(page.value("fanfare_push_paused", paused) == 1 && page.sum("fanfare_push_paused") == 1)
            // Probes go on, one at a time: the mock has seen few pushes when it has seen some more.
            let before = stage.mock.counts().pushes
            #expect(await stage.mock.waitFor(pushes: before + 3, timeout: .seconds(60)))
            #expect(stage.mock.counts().pushes < count)
            // Slow enough for it to be seen going on.
            stage.mock.setScript(.slow(.seconds(1)))
            try await stage.eventually("it does not go on") {
                let seen = try await self.status(stage, start.answer)
                return seen["state"]?.string == "running" && seen["paused_since"]?.string == nil
            }
            stage.mock.setScript(MockScript())
            let ended = try await stage.ended(start.broadcast)
            expectOneEach(stage, ended, count)
            #expect(ended["reason"]?.string == nil)
            // Each was asked for at most twice on the whole: in the burst before the pause, and when all was well
            // again.
            #expect(stage.pushes(.start).count <= 2 * count)
            let again = try only(log, "push provider available, broadcasts resumed")
            #expect(again.level == "notice" && again.metadata["reason"] == reason)
            page = try await stage.metrics()
            #expect(page.sum("fanfare_push_paused") == 0)
            // The probes are spread over the devices: none was pushed to more than three times.
            #expect(Dictionary(grouping: stage.pushes(.start), by: \.token).values.allSatisfy { $0.count <= 3 })
        }
    }

    @Test("A start of one device is paused too when the app or the credential is refused, and reaches it in the end")
    func oneDevice() async throws {
        try await TestStage.run(configure: { $0.bearTrouble() }) { stage in
            try await stage.addDevices(1)
            // The first reason is about the topic only before a push is accepted.
            for (status, reason) in [
                (400, "DeviceTokenNotForTopic"), (400, "TopicDisallowed"), (400, "BadTopic"),
                (403, "InvalidProviderToken"),
            ] {
                let before = stage.pushes(.start).count { $0.answer == .answered(status: 200, reason: nil) }
                stage.mock.setScript(everything(.answer(status: status, reason: reason)))
                let start = try await begin(stage, try await stage.register(1))
                try await stage.eventually("it is not paused") {
                    let seen = try await self.status(stage, start.answer)
                    return seen["state"]?.string == "paused" && seen["reason"]?.string == reason
                }
                stage.mock.setScript(MockScript())
                let ended = try await stage.ended(start.broadcast)
                #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 1, "\(ended.text)")
                let after = stage.pushes(.start).count { $0.answer == .answered(status: 200, reason: nil) }
                #expect(after == before + 1)
            }
        }
    }

    @Test(
        "A provider that takes pushes and never answers gets few of them, and the others their Live Activity when it is well"
    )
    func neverAnswers() async throws {
        try await TestStage.run(configure: {
            $0.bearTrouble()
            $0.push.pushDeadline = .seconds(1)
        }) { stage in
            try await stage.addDevices(2000)
            let id = try await stage.register(2000)
            stage.mock.setScript(everything(.silence))
            let start = try await begin(stage, id)
            try await stage.eventually("it is not paused") {
                try await self.status(stage, start.answer)["state"]?.string == "paused"
            }
            stage.mock.setScript(MockScript())
            let ended = try await stage.ended(start.broadcast)
            let unknown = ended.failed("unknown")
            // A connection that has answered nothing takes few streams.
            #expect(unknown > 0 && unknown <= 200, "\(ended.text)")
            #expect(ended["accepted"]?.int64 == Int64(2000 - unknown), "\(ended.text)")
            let tokens = stage.pushes(.start).map(\.token)
            #expect(tokens.count == 2000 && Set(tokens).count == 2000)
        }
    }

    @Test(
        "One answer without a body, or with a reason that nobody knows, costs nobody anything",
        arguments: [400, 403, 404, 302, 408, 421])
    func oneAnswer(status: Int) async throws {
        try await TestStage.run(configure: { $0.bearTrouble() }) { stage in
            try await stage.addDevices(600)
            let id = try await stage.register(600)
            var script = MockScript()
            script.rules = [
                MockRule(.init(skip: 100), .answer(status: status, reason: ""), limit: 1),
                MockRule(.init(skip: 200), .answer(status: 400, reason: "NeverHeardOf"), limit: 1),
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 600, "\(start.text)")
        }
    }

    @Test("Content that is stale when the provider comes back is not sent, and those devices are unsent")
    func stale() async throws {
        try await TestStage.run(configure: { $0.bearTrouble() }) { stage in
            try await stage.addDevices(500)
            let id = try await stage.register(500)
            var script = MockScript()
            script.connections = .init(.refuse)
            stage.mock.setScript(script)
            let expiration = WallTime.now().seconds + 2
            let start = try await begin(stage, id, more: #""options":{"expiration":\#(expiration)}"#)
            let ended = try await stage.ended(start.broadcast)
            #expect(ended["state"]?.string == "failed" && ended.failed("Expired") == 500, "\(ended.text)")
            stage.mock.setScript(MockScript())
            // The next start reaches the provider, and nothing of the first has.
            let other = try await stage.register(500)
            #expect(try await stage.call("start", TestStage.body(other)).accepted == 500)
            #expect(stage.pushes(.start).count == 500)
            let read = try await stage.read("/api/v1/live-activity/\(id)")
            let counts = try #require(read["counts"])
            #expect(try counts.member("unsent")?.int64 == 500, "\(read.text)")
        }
    }
}
