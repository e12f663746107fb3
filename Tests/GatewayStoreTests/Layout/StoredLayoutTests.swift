import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing

@testable import GatewayStore

@Suite("The layout of the store")
struct StoredLayoutTests {
    private func number(_ stage: StoreStage) async throws -> String? {
        try await stage.store.value(RedisCommand("GET", Keys.layout)).string
    }

    /// The fields of an activity's counters that are pages.
    private func shortPages(_ stage: StoreStage, _ id: UniqueID) async throws -> Set<String> {
        let names = try await stage.store.value(RedisCommand("HKEYS", Keys.counters(id, 0))).array ?? []
        return Set(names.compactMap(\.string).filter { ["s0", "u0", "f0", "o0", "i0"].contains($0) })
    }

    /// An activity of one device, from its registration to an update.
    private func life(_ stage: StoreStage, user: Int) async throws -> ActivityRecord {
        let record = try await stage.register(user..<(user + 1))
        var outcome = PageOutcome(page: 0)
        outcome.accepted = [0]
        try await stage.finish(outcome, try #require(try await stage.begin(.start, record)))
        _ = try await stage.sync(user, .id(record.activity.id, type: nil))
        let update = try #require(try await stage.begin(.update, stage.read(record.activity.id)))
        #expect(try await stage.page(0, update).devices.count == 1)
        try await stage.finish(outcome, update)
        return record
    }

    @Test("The first gateway writes the number into an empty store")
    func empty() async throws {
        try await StoreStage.run { stage in
            #expect(try await !stage.store.layout.read())
            #expect(try await number(stage) == nil)
            let stores = (0..<8).map { _ in GatewayStore(redis: stage.redis) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores { group.addTask { try await store.layout.settle() } }
                try await group.waitForAll()
            }
            #expect(try await number(stage) == "3")
            #expect(try await stores[0].layout.read() && stores.allSatisfy(\.maySend))
            _ = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            try await stores[0].layout.settle()
            #expect(try await number(stage) == "3")
        }
    }

    @Test(
        "Another number, or tenants and no number, is refused and not overwritten",
        arguments: ["0", "1", "2", "4", "1099511627776", "three", nil])
    func unsupported(_ text: String?) async throws {
        try await StoreStage.run { stage in
            _ = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            if let text { _ = try await stage.store.value(RedisCommand("SET", Keys.layout, text)) }
            let error = StoreError.unsupportedLayout(text.flatMap { Int64($0) })
            await #expect(throws: error) { try await stage.store.layout.settle() }
            await #expect(throws: error) { _ = try await stage.store.layout.read() }
            #expect(try await number(stage) == text)
            #expect(!stage.store.maySend && !stage.store.mayCarryOutWhatIsDue)
            _ = try await stage.store.value(RedisCommand("SET", Keys.layout, "3"))
            try await stage.store.layout.settle()
            #expect(stage.store.maySend && stage.store.mayCarryOutWhatIsDue)
        }
    }

    @Test("The error names the layouts and the remedy")
    func texts() {
        let texts = [4, 2, nil].map { StoreError.unsupportedLayout($0).description }
        #expect(
            texts == [
                "the store has layout 4, but this version supports only layout 3: run the version that wrote the store, "
                    + "or a later version",
                "the store has layout 2, but this version supports only layout 3 and cannot read the store of a version "
                    + "before 0.3.0: start with an empty database",
                "the store has no layout number, but this version supports only layout 3 and cannot read the store of a "
                    + "version before 0.3.0: start with an empty database",
            ])
    }

    @Test("The roster of an activity of one device is one key")
    func packed() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let id = try await life(stage, user: 0).activity.id
            #expect(try await shortPages(stage, id) == ["s0", "u0", "f0", "o0", "i0"])
            let keys = try await stage.keys("fanfare:{\(id).0}:*").filter { !$0.contains(":b:") }
            #expect(keys == [Keys.counters(id, 0)])
            let name = ExternalName("order", type: StoreStage.type)
            let begun = try await stage.store.activities.findOrMake(
                name, tenantID: stage.tenant, opener: StoreStage.ids(2..<3)[0], .standard)
            try await stage.store.roster.fill(0, StoreStage.key(2), device: 1, in: begun.activity)
            #expect(try await shortPages(stage, begun.activity.id) == ["f0", "i0"])
        }
    }
}
