import Delivery
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Gateways that cannot push, and their peers", .serialized)
struct OutageTests {
    @Test("An idle gateway tests its connection when another cannot push, and pushes for it")
    func idlePeer() async throws {
        try await TestStage.run(configure: { $0.connectAgainQuickly() }) { stage in
            try await stage.addDevices(30)
            let id = try await stage.register(30)
            // The provider knows the idle gateway's key, and refuses the other one's.
            let bad = try await stage.startStranger()
            let refused = try await stage.call("start", TestStage.body(id), port: bad.port)
            #expect(refused.status == 503 && refused.code == "OVERLOADED", "\(refused.text)")
            #expect(refused["error"]?.string?.contains("send the call to another gateway") == true, "\(refused.text)")
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 30)
            await bad.stop()
        }
    }

    @Test("While no gateway can push, each keeps its jobs and accepts starts")
    func everybody() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.connectAgainQuickly() }) { stage in
            try await stage.addDevices(10)
            // One connection each, so that each believes that it can push.
            for gateway in 0...1 {
                try await stage.eventually("gateway \(gateway) has pushed nothing") {
                    let id = try await stage.register(10)
                    let answer = try await stage.call("start", TestStage.body(id), gateway: gateway)
                    try #require(answer.accepted == 10, "\(answer.text)")
                    return try await stage.metrics(gateway: gateway)
                        .value("fanfare_push_connections", ["state": "ready", "purpose": "ordinary"]) ?? 0 > 0
                }
            }
            stage.mock.setScript(Self.outage)
            var starts = [try await begin(stage, 0)]
            // The other one is idle, and finds out all the same.
            try await stage.eventually("both know that the provider is away") {
                for gateway in 0...1 {
                    let answer = try await stage.ready(stage.gateways[gateway])
                    guard answer.status == 200, answer.text.contains("provider_paused") else { return false }
                }
                return true
            }
            // For longer than others have to show that they can push.
            let begun = MonotonicTime.now()
            repeat {
                for gateway in 0...1 { starts.append(try await begin(stage, gateway)) }
                try await Task.sleep(for: .milliseconds(200))
            } while MonotonicTime.now() < begun + PushDuty.leastWait + .seconds(1)
            stage.mock.setScript(MockScript())
            for id in starts {
                let ended = try await stage.ended(id)
                #expect(ended["accepted"]?.int64 == 10, "\(ended.text)")
            }
            for gateway in 0...1 {
                let page = try await stage.metrics(gateway: gateway)
                #expect(page.value("fanfare_jobs_left_to_others_total") == 0)
            }
        }
    }

    private static let outage = MockScript.always(.answer(status: 503, reason: "ServiceUnavailable"))

    private func begin(_ stage: TestStage, _ gateway: Int) async throws -> UniqueID {
        let id = try await stage.register(10)
        return try await stage.begin("start", TestStage.body(id), gateway: gateway)
    }

    @Test("A gateway that has yielded its jobs takes work again when the others cannot push any more")
    func takeUp() async throws {
        try await TestStage.run(configure: { $0.connectAgainQuickly() }) { stage in
            try await stage.addDevices(10)
            let bad = try await stage.startStranger()
            stage.mock.setScript(Self.outage)
            let start = try await begin(stage, 0)
            try await stage.eventually("the jobs are not taken up again") {
                let ready = try await stage.ready(bad)
                return ready.status == 200 && ready.text.contains("provider_paused")
            }
            // The jobs go to the other gateways once these can push again.
            stage.mock.setScript(MockScript())
            try await stage.waitUntilItCannotPush(bad)
            let ended = try await stage.ended(start)
            #expect(ended["accepted"]?.int64 == 10, "\(ended.text)")
            await bad.stop()
        }
    }
}
