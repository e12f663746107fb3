import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing

@testable import GatewayStore

@Suite("Short pages stand among their partition's counters")
struct ShortPageTests {
    private static let contents: [PageKey.Content] = [.startTokens, .updateTokens, .statuses, .outcomes, .identities]

    private func pageKeys(_ stage: StoreStage, _ id: UniqueID) async throws -> [String] {
        try await stage.store.values(Self.contents.map { RedisCommand("EXISTS", PageKey($0, id, 0).key) })
            .enumerated().filter { $0.element.int == 1 }.map { Self.contents[$0.offset].rawValue }
    }

    @Test("An activity of one device has no page of its own")
    func one() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.register(0..<1)
            let id = record.activity.id
            #expect(try await pageKeys(stage, id).isEmpty)
            #expect(try await stage.startTokens(id) == [0: StoreStage.token(0)])
            let start = try #require(try await stage.begin(.start, record))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            try await stage.finish(outcome, start)
            _ = try await stage.sync(0, .id(id, type: nil))
            #expect(try await pageKeys(stage, id).isEmpty)
            #expect(try await stage.stored(.statuses, id, 0) == [DeliveryStatus.startAccepted])
            let counters = RedisCommand("OBJECT", "ENCODING", Keys.counters(id, 0))
            #expect(try await stage.store.value(counters).string == "listpack")
        }
    }

    @Test("Pages that become too long move to their keys and expire as the counters do; nothing is lost")
    func growth() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<100)
            let record = try await stage.register(0..<1)
            let id = record.activity.id
            for users in [1..<2, 2..<50, 50..<100] {
                _ = try await stage.store.activities.addUsers(StoreStage.ids(users), to: id)
                let names = try await stage.store.roster.identities(0, of: id)
                for user in 0..<users.upperBound {
                    #expect(names.identity(user)?.insiderID == StoreStage.key(user).insiderID)
                }
            }
            #expect(try await stage.startTokens(id).count == 100)
            #expect(try await pageKeys(stage, id) == ["s", "f", "i"])
            let expected = try await stage.store.value(RedisCommand("PEXPIRETIME", Keys.counters(id, 0))).int ?? 0
            for content in [PageKey.Content.startTokens, .statuses, .identities] {
                let place = PageKey(content, id, 0)
                let time = try await stage.store.value(RedisCommand("PEXPIRETIME", place.key)).int ?? 0
                #expect(abs(time - expected) < 1000 && expected > 0)
                #expect(try await stage.store.value(RedisCommand("HEXISTS", place.counters, place.field)).int == 0)
            }
        }
    }

    @Test("Short pages that are keys are read and written there")
    func keys() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let id = record.activity.id
            for content in [PageKey.Content.startTokens, .statuses] {
                let place = PageKey(content, id, 0)
                let bytes = try await stage.stored(content, id, 0)
                try await stage.remove(content, id, 0)
                _ = try await stage.store.value(RedisCommand("SET", place.key, bytes))
            }
            let runs = try await stage.store.roster.identityRuns([0], of: id)[0]
            try await stage.remove(.identities, id, 0)
            for (name, run) in runs {
                _ = try await stage.store.value(RedisCommand("HSET", Keys.identityPage(id, 0), name, run))
            }
            for user in 0..<2 { _ = try await stage.sync(user, .id(id, type: nil)) }
            #expect(try await pageKeys(stage, id).contains("f"))
            let order = try #require(try await stage.begin(.update, record))
            let read = try await stage.page(0, order)
            #expect(read.tokens == [0: StoreStage.token(5000), 1: StoreStage.token(5001)])
            let names = try await stage.store.roster.identities(0, of: id)
            #expect(names.identity(1)?.insiderID == StoreStage.key(1).insiderID)
        }
    }
}
