import Delivery
import LiveActivity
import RedisClient
import TestSupport
import Testing

@testable import GatewayStore

@Suite("The layout of the store is what all gateways can read")
struct StoredLayoutTests {
    private func layout(_ stage: StoreStage) async throws -> Int64? {
        try await stage.store.value(RedisCommand("GET", Keys.layout)).int
    }

    /// The fields of an activity's counters that are pages.
    private func shortPages(_ stage: StoreStage, _ id: UniqueID) async throws -> Set<String> {
        let names = try await stage.store.value(RedisCommand("HKEYS", Keys.counters(id, 0))).array ?? []
        return Set(names.compactMap(\.string).filter { ["s0", "u0", "f0", "o0", "i0"].contains($0) })
    }

    /// An activity of one device, from its registration to an update.
    private func life(_ stage: StoreStage, user: Int) async throws -> ActivityRecord {
        let record = try await stage.register(user..<(user + 1))
        try await begin(record, user, stage)
        try await update(record, stage)
        return record
    }

    private func begin(_ record: ActivityRecord, _ user: Int, _ stage: StoreStage) async throws {
        let start = try #require(try await stage.begin(.start, record))
        var outcome = PageOutcome(page: 0)
        outcome.accepted = [0]
        try await stage.finish(outcome, start)
        _ = try await stage.sync(user, .id(record.activity.id, type: nil))
    }

    private func update(_ record: ActivityRecord, _ stage: StoreStage) async throws {
        let order = try #require(try await stage.begin(.update, stage.read(record.activity.id)))
        let read = try await stage.page(0, order)
        #expect(read.devices.count == 1)
        var outcome = PageOutcome(page: 0)
        outcome.accepted = [0]
        try await stage.finish(outcome, order)
    }

    @Test("A store that nobody has used has the newest, one of an earlier version the first until it is raised")
    func settling() async throws {
        try await StoreStage.run(layout: .keyed) { stage in
            let other = GatewayStore(redis: stage.redis)
            #expect(other.layout.current == .keyed && StoreLayout.newest > .keyed)
            try await other.layout.settle()
            #expect(try await layout(stage) == Int64(StoreLayout.newest.rawValue))
            #expect(other.layout.current == .newest && stage.store.layout.current == .keyed)
            try await stage.store.layout.settle()
            #expect(stage.store.layout.current == .newest)
        }
        try await StoreStage.run { stage in
            _ = try await stage.store.tenants.createTenant(name: "earlier", tier: .growth)
            try await stage.store.layout.settle()
            #expect(stage.store.layout.current == .keyed)
            #expect(try await layout(stage) == nil)
            let other = GatewayStore(redis: stage.redis)
            #expect(try await other.layout.upgrade() == .keyed && other.layout.current == .newest)
            #expect(try await other.layout.upgrade() == .newest)
            #expect(stage.store.layout.current == .keyed)
            try await stage.store.layout.settle()
            #expect(stage.store.layout.current == .newest)
        }
    }

    @Test(
        "Of a layout that is not known nothing is made, nor is it lowered",
        arguments: [0, StoreLayout.newest.rawValue + 1, 1 << 40])
    func unknown(_ number: Int) async throws {
        try await StoreStage.run(layout: .keyed) { stage in
            _ = try await stage.store.value(RedisCommand("SET", Keys.layout, number))
            await #expect(throws: StoreError.newerLayout(Int64(number))) { try await stage.store.layout.settle() }
            await #expect(throws: StoreError.newerLayout(Int64(number))) { _ = try await stage.store.layout.upgrade() }
            #expect(try await layout(stage) == Int64(number) && stage.store.layout.current == .keyed)
        }
    }

    @Test("In the first layout nothing is written that an earlier version would not find")
    func first() async throws {
        try await StoreStage.run(layout: .keyed) { stage in
            try await stage.addDevices(0..<3)
            let id = try await life(stage, user: 0).activity.id
            #expect(try await shortPages(stage, id).isEmpty)
            for content in [PageKey.Content.startTokens, .updateTokens, .statuses, .outcomes, .identities] {
                let key = RedisCommand("EXISTS", Keys.page(content, id, 0))
                #expect(try await stage.store.value(key).int == 1, "\(content)")
            }
            #expect(id.activity != id)
            #expect(try await !stage.keys("fanfare:{b:*").isEmpty)
            // Who is added later.
            let waiting = try await stage.register(0..<1).activity.id
            _ = try await stage.store.activities.addUsers(StoreStage.ids(1..<2), to: waiting)
            #expect(try await shortPages(stage, waiting).isEmpty)
            #expect(try await stage.startTokens(waiting) == [0: StoreStage.token(0), 1: StoreStage.token(1)])
            // And an activity that a device has begun, whose pages come one by one.
            let name = ExternalName("order", type: StoreStage.type)
            let begun = try await stage.store.activities.findOrMake(
                name, tenantID: stage.tenant, opener: StoreStage.ids(2..<3)[0], .standard)
            try await stage.store.roster.fill(0, StoreStage.key(2), device: 1, in: begun.activity)
            #expect(try await shortPages(stage, begun.activity.id).isEmpty)
            #expect(begun.activity.id.activity != begun.activity.id)
        }
    }

    @Test("In the packed layout an activity of one device has one key for its roster, whoever began it")
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

    @Test("An activity goes on over the upgrade, where it has begun")
    func over() async throws {
        try await StoreStage.run(layout: .keyed) { stage in
            try await stage.addDevices(0..<3)
            let records = [try await stage.register(0..<1), try await life(stage, user: 1)]
            _ = try await stage.store.layout.upgrade()
            let fresh = try await life(stage, user: 2)
            #expect(try await shortPages(stage, fresh.activity.id).count == 5)
            for (user, record) in records.enumerated() {
                let id = record.activity.id
                if user == 0 { try await begin(record, 0, stage) }
                _ = try await stage.sync(user, .id(id, type: nil), token: StoreStage.token(7000 + user))
                try await update(record, stage)
                #expect(try await shortPages(stage, id).isEmpty)
                let order = try #require(try await stage.begin(.update, stage.read(id)))
                #expect(try await stage.page(0, order).tokens == [0: StoreStage.token(7000 + user)])
            }
        }
    }
}
