import GatewayStore
import MockAPNs
import Testing

@Suite("One provider token for all gateways", .serialized)
struct SharedTokenTests {
    @Test("Two gateways on one Redis push with the same provider token")
    func shared() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(20)
            let ids = [try await stage.register(20), try await stage.register(20)]
            #expect(try await stage.call("start", TestStage.body(ids[0]), gateway: 0).accepted == 20)
            // Whichever of them it was that pushed: from here on it is the other, or both have.
            await stage.gateways[0].stop()
            #expect(try await stage.call("start", TestStage.body(ids[1]), gateway: 1).accepted == 20)
            let entries = stage.mock.ledgerEntries()
            #expect(entries.count == 40)
            #expect(Set(entries.compactMap { $0.header("authorization") }).count == 1)
        }
    }
}
