import LiveActivity
import Testing

@testable import GatewayStore

@Suite("Users that are read by the thousand")
struct UserReadingTests {
    @Test("They come in the order asked for, nil for nobody, without their places in other activities")
    func places() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<450)
            var ids: [UniqueID] = []
            for _ in 0..<3 { ids.append(try await stage.register(0..<450).activity.id) }
            let names = StoreStage.ids(0..<450) + ["nobody"] + StoreStage.ids(0..<1)
            for kept in [ids[1], nil] {
                let users = try await stage.store.devices.users(
                    names, tenantID: stage.tenant, placesIn: kept)
                #expect(users.count == names.count && users[450] == nil)
                let whole = try await stage.store.devices.users(names, tenantID: stage.tenant)
                #expect(whole[0]?.memberships.count == 3)
                for (user, other) in zip(users, whole) {
                    let expected = kept.map { [$0] } ?? []
                    #expect(user?.memberships.map(\.activity) == other.map { _ in expected })
                    #expect(user?.devices.map(\.udid) == other?.devices.map(\.udid))
                    #expect(user?.version == other?.version)
                }
            }
        }
    }
}
