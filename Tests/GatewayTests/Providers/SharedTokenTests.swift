import Broadcasts
import Gateway
import GatewayStore
import MockAPNs
import Testing
import TimeCore

@Suite("A provider token shared by all gateways", .serialized)
struct SharedTokenTests {
    @Test("Two gateways on one Redis push with the same provider token")
    func shared() async throws {
        // So that each broadcast is the job of the gateway that was called.
        try await TestStage.run(gateways: 2, configure: { $0.jobs.period = .seconds(60) }) { stage in
            let first = try await stage.started(20)
            try await stage.syncAll(0..<20, first)
            let update = try await stage.call("update", TestStage.body(first), gateway: 1)
            #expect(update.accepted == 20)
            let entries = stage.mock.ledgerEntries()
            #expect(entries.count == 40)
            #expect(Set(entries.map(\.connection)).count >= 2)
            #expect(Set(entries.compactMap { $0.header("authorization") }).count == 1)
        }
    }
}
