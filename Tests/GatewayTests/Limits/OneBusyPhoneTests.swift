import BroadcastCore
import Broadcasts
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("A phone whose pushes are always deferred delays no other", .serialized)
struct OneBusyPhoneTests {
    @Test("Deferred starts yield their places, do not count as waiting broadcasts, and reach the phone in the end")
    func places() async throws {
        try await TestStage.run(
            gateways: 2,
            configure: {
                $0.push.initialBackoff = .milliseconds(50)
                $0.jobs.limits = .init(perLane: [1, 1, 1])
                $0.api.maximumBroadcasts = 2
            }
        ) { stage in
            try await stage.addDevices(40)
            var script = MockScript()
            let busy = TestStage.hex(TestStage.startToken(0))
            script.rules = [MockRule(.init(tokens: [busy]), .answer(status: 429, reason: "TooManyRequests"))]
            stage.mock.setScript(script)
            var held: [UniqueID] = []
            // More starts than places, and at least as many as may be under way.
            for number in 1...6 {
                let id = try await stage.register(20)
                try await stage.eventually("start \(number) is refused") {
                    let answer = try await stage.call(
                        "start", TestStage.body(id), headers: ["Prefer": "respond-async"], gateway: number % 2)
                    guard answer.status != 503 else { return false }
                    try #require(answer.status == 202, "\(answer.text)")
                    held.append(try #require(answer.broadcastID))
                    return true
                }
            }
            try await stage.eventually("the others have no Live Activity") {
                stage.pushes(.start).count { $0.answer == .answered(status: 200, reason: nil) } == 6 * 19
            }
            try await stage.eventually("the jobs do not rest") {
                var resting = 0.0
                for gateway in 0...1 {
                    let page = try await stage.metrics(gateway: gateway)
                    resting += page.value("fanfare_jobs", ["lane": "small", "state": "resting"]) ?? 0
                }
                return resting == 6
            }
            stage.mock.setScript(MockScript())
            for id in held {
                let ended = try await stage.ended(id)
                #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 20, "\(ended.text)")
            }
        }
    }

    @Test("An update without an answer delays the newer one of other devices only briefly")
    func silence() async throws {
        try await TestStage.run(configure: { $0.push.pushDeadline = .seconds(300) }) { stage in
            let id = try await stage.started(10)
            try await stage.syncAll(0..<10, id)
            var script = MockScript()
            script.rules = [MockRule(.init(tokens: [TestStage.hex(TestStage.updateToken(0))]), .silence, limit: 1)]
            stage.mock.setScript(script)
            let broadcast = try await stage.begin("update", TestStage.body(id))
            try await stage.eventually("the others are not updated") {
                stage.pushes(.update).count { $0.answer == .answered(status: 200, reason: nil) } == 9
            }
            let newer = try await stage.call("update", TestStage.body(id))
            #expect(newer.status == 200 && newer.accepted == 10, "\(newer.text)")
            let ended = try await stage.ended(broadcast)
            #expect(ended["state"]?.string == "superseded" && ended["accepted"]?.int64 == 9, "\(ended.text)")
            #expect(try ended["failed"]?.member("unknown")?.int64 == 1, "\(ended.text)")
        }
    }

    @Test("Phones that never answer delay no update and no end of others, and pause nothing")
    func manySilent() async throws {
        try await TestStage.run(configure: { $0.push.pushDeadline = .seconds(300) }) { stage in
            let id = try await stage.started(20)
            try await stage.syncAll(0..<20, id)
            var script = MockScript()
            let silent = Set((0..<2).map { TestStage.hex(TestStage.updateToken($0)) })
            script.rules = [MockRule(.init(tokens: silent), .silence)]
            stage.mock.setScript(script)
            func reached(_ event: MockPushEvent) -> Int { stage.pushes(event).count { !silent.contains($0.token) } }
            for number in 1...4 {
                _ = try await stage.call("update", TestStage.body(id), headers: ["Prefer": "respond-async"])
                try await stage.eventually("update \(number) is held up") { reached(.update) == 18 * number }
            }
            _ = try await stage.call("end", TestStage.body(id), headers: ["Prefer": "respond-async"])
            try await stage.eventually("the end is held up") { reached(.end) == 18 }
            #expect(try await stage.metrics().sum("fanfare_push_paused") == 0)
        }
    }
}
