import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import ScrapedMetrics
import Testing
import TimeCore

@Suite("A gateway that cannot start", .serialized)
struct FailedStartTests {
    @Test("has taken no job when another process listens at its port, so that the next one need not wait for it")
    func portInUse() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(5)
            let id = try #require(UniqueID(try await stage.register(5)))
            await stage.gateways[0].stop()
            let record = try #require(try await stage.setup.store.activities.activity(id))
            var draft = TestStage.startDraft()
            draft.expiration = stage.setup.store.wallClock().seconds + 600
            _ = try await stage.setup.store.broadcasts.begin(draft, for: record).get()
            var options = stage.options
            options.port = Int(stage.mock.port)
            await #expect(throws: (any Error).self) { try await Gateway.start(options, logger: TestStage.silent) }
            #expect(stage.pushes(.start).isEmpty)
            options.port = 0
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            try await stage.eventually { stage.pushes(.start).count == 5 }
            let page = try await stage.metrics(port: gateway.port)
            #expect(page.sum("fanfare_jobs_taken_total") == 1 && page.value("fanfare_jobs_resumed_total") == 0)
            #expect(try await stage.setup.store.activities.activity(id)?.activity.state == .started)
            await gateway.stop()
        }
    }
}
