import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Pages on their way to the provider")
struct PageStoreTests {
    @Test("The pages of a start hold every device of the segment once, with its own token")
    func wholeSegment() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2100)
            let record = try await stage.register(0..<2100)
            _ = try await stage.store.activities.removeUsers(StoreStage.ids(1000..<1100), from: record.activity.id)
            let order = try #require(try await stage.begin(.start, record))
            var seen: [Int: [UInt8]] = [:]
            for page in order.slots.pages {
                let read = try await stage.page(page, order)
                #expect(read.skipped.isEmpty)
                for (index, token) in read.tokens { seen[Int(RosterGeometry.slot(page: page, index: index))] = token }
            }
            let expected = Array(0..<1000) + Array(1100..<2100)
            #expect(seen.keys.sorted() == expected && seen.allSatisfy { $0.value == StoreStage.token($0.key) })
            #expect(try await stage.page(9, order).devices.isEmpty)
        }
    }

    @Test("Targets match both parts of a pair, each once, and say why nothing can be sent")
    func targets() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1500)
            let record = try await stage.started(0..<1500)
            for user in [3, 1200] { _ = try await stage.sync(user, .id(record.activity.id, type: nil)) }
            let half = DeviceKey(insiderID: StoreStage.key(1).insiderID, udid: StoreStage.key(2).udid)
            let pairs =
                [1200, 3, 4, 3].map { StoreStage.key($0) } + [
                    half, StoreStage.key(5000), DeviceKey(insiderID: "", udid: ""),
                ]
            let (found, missing) = try await stage.store.roster.targets(pairs, .update, in: record.activity)
            #expect(
                found == [.init(slot: 3, skip: nil), .init(slot: 4, skip: .notSynced), .init(slot: 1200, skip: nil)])
            #expect(missing == 3)
            let none = try await stage.store.roster.targets([], .update, in: record.activity)
            #expect(none.found.isEmpty && none.notInSegment == 0)
            let order = try #require(try await stage.begin(.update, record, .slots(found.map(\.slot))))
            #expect(try await stage.page(0, order).tokens == [3: StoreStage.token(5003)])
            #expect(try await stage.page(0, order).skipped[.notSynced] == 1)
            #expect(try await stage.page(1, order).tokens == [1200 - 868: StoreStage.token(6200)])
        }
    }

    @Test(
        "The cost of finding targets goes by the list, not by the segment",
        .disabled(if: StoreBackend.isCluster, "it counts the commands of one server; the run without a cluster has it"))
    func targetCost() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3000)
            let record = try await stage.register(0..<3000)
            func commands() async throws -> Int {
                let text = try await stage.store.value(RedisCommand("INFO", "stats")).string ?? ""
                let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("total_commands_processed:") }
                return try #require(line.flatMap { Int($0.dropFirst("total_commands_processed:".count)) })
            }
            let before = try await commands()
            let found = try await stage.store.roster.targets(
                [StoreStage.key(1), StoreStage.key(2900)], .pushToStart, in: record.activity)
            #expect(found.found.count == 2)
            // Two membership lookups, a few reads in each of two pages, and the INFO commands.
            #expect(try await commands() - before < 20)
        }
    }

    @Test("Delivery statuses are written once: a start's do not undo an end, and nobody who was removed comes back")
    func statuses() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<6)
            let record = try await stage.register(0..<6)
            let id = record.activity.id
            _ = try await stage.store.activities.removeUsers(StoreStage.ids(5..<6), from: id)
            let start = try #require(try await stage.begin(.start, record))
            _ = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: .id(id, type: nil), tenantID: stage.tenant)
            var outcome = PageOutcome(page: 0)
            (outcome.accepted, outcome.failed, outcome.unknown) = ([0, 1, 5], [2], [3])
            try await stage.finish(outcome, start)
            func statuses() async throws -> [UInt8] {
                try await stage.stored(.statuses, id, 0)
            }
            let dismissed = DeliveryStatus.ended(.userDismissed)
            var expected = [
                dismissed, DeliveryStatus.startAccepted, DeliveryStatus.startFailed, DeliveryStatus.startUnknown,
                DeliveryStatus.registered, DeliveryStatus.removed,
            ]
            #expect(try await statuses() == expected)
            // A later outcome replaces only an unknown one.
            (outcome.accepted, outcome.failed, outcome.unknown) = ([2, 3], [0, 1], [5])
            try await stage.finish(outcome, start)
            expected[3] = DeliveryStatus.startAccepted
            #expect(try await statuses() == expected)
            let end = try #require(try await stage.begin(.end, stage.read(id)))
            var ended = PageOutcome(page: 0)
            ended.accepted = [0, 1, 3, 5]
            try await stage.finish(ended, end)
            let byAPI = DeliveryStatus.ended(.endedByAPI)
            #expect(
                try await statuses() == [
                    dismissed, byAPI, DeliveryStatus.startFailed, byAPI, DeliveryStatus.registered,
                    DeliveryStatus.removed,
                ])
        }
    }

    @Test("A dead update token is dropped, unless it was reported after the provider's time or is another one by now")
    func deadUpdateTokens() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let early = stage.now
            _ = try await stage.sync(0, .id(record.activity.id, type: nil))
            stage.advance(.seconds(10))
            for user in 1..<4 { _ = try await stage.sync(user, .id(record.activity.id, type: nil)) }
            let order = try #require(try await stage.begin(.update, record))
            var outcome = PageOutcome(page: 0)
            outcome.deadTokens = [
                (0, StoreStage.token(5000), early), (1, StoreStage.token(5001), early + .milliseconds(9999)),
                (2, StoreStage.token(5002), stage.now), (3, [9, 9], stage.now),
            ]
            outcome.failed = [0, 1, 2]
            try await stage.finish(outcome, order)
            #expect(try await stage.page(0, order).tokens.keys.sorted() == [1, 3])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 2)
        }
    }

    @Test("A dead push-to-start token is forgotten, the one that was used and no other, unless it is newer")
    func deadStartTokens() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let (store, tenant) = (stage.store, stage.tenant)
            try await store.devices.putPushToStartToken([1], StoreStage.key(1), tenantID: tenant, type: StoreStage.type)
            let record = try await stage.register(0..<3)
            let order = try #require(try await stage.begin(.start, record))
            let asOf = stage.now
            stage.advance(.seconds(1))
            try await store.devices.putPushToStartToken([2], StoreStage.key(2), tenantID: tenant, type: nil)
            var outcome = PageOutcome(page: 0)
            (outcome.failed, outcome.deadTokens) = (
                [0, 1, 2], [(0, StoreStage.token(0), asOf), (1, [1], asOf), (2, StoreStage.token(2), asOf)]
            )
            try await stage.finish(outcome, order)
            func token(_ user: Int) async throws -> [UInt8]? {
                let read = try await store.devices.user(StoreStage.key(user).insiderID, tenantID: tenant)
                return read?.pushToStartToken(udid: StoreStage.key(user).udid, type: StoreStage.type).map {
                    Array($0.token)
                }
            }
            #expect(try await token(0) == nil)
            // The start used the token of the activity's type, so the token for all types remains.
            #expect(try await token(1) == StoreStage.token(1))
            #expect(try await token(2) == [2])
        }
    }
}
