import Encodings
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Healing in the store")
struct HealingStoreTests {
    /// A cell with a token, cells with marks in place of one, and nil for a missing page.
    private static let cells: [[UInt8]?] = [
        [1, 9], [0, 0], [0, 255], [0, 254], [0, 253], [0, 252], [0, 10], nil,
    ]

    @Test("The script that looks through pages and the rules that decide agree on every device")
    func agreement() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            let startedAt = try #require(record.activity.startedAt)
            stage.advance(.seconds(500))
            var generator = SeededGenerator(seed: 23)
            var found = 0
            for _ in 0..<400 {
                func pick<Value>(_ values: [Value]) -> Value {
                    values[Int.random(in: 0..<values.count, using: &generator)]
                }
                let status = pick([0, 1, 2, 3, 3, 3, 4, 5, 6, 17] as [UInt8])
                let cell = pick(Self.cells)
                let age = pick([nil, 29, 30, 31, 99, 100, 101, 119, 120, 121, 400] as [Int64?])
                let noted = pick([nil, nil, 0, 1, 2, 3] as [Int?])
                let healing = Healing(limit: Int.random(in: 1...2, using: &generator))
                try await lay(out: status, cell, age: age, noted: noted, stage, id)

                let outcomes = OutcomePage(try await stage.stored(.outcomes, id, 0))
                var slot = RestartRules.Slot(status: status)
                if let cell { slot.mark = cell[0] == 0 ? cell[1] : nil }
                slot.outcome = outcomes.outcome(1)
                slot.notedStarts = noted
                let rules = RestartRules(
                    wish: healing.wish, now: stage.now, startedAt: startedAt, wasStartedWhole: true)
                var isToBeStarted = false
                if case .start = rules.decide(slot) { isToBeStarted = true }
                let look = try await stage.store.restarts.lookForHealing(healing, of: record, from: 0)
                #expect(look == HealingLook(pages: isToBeStarted ? [0] : [], next: 0), "\(slot), \(healing)")
                found += isToBeStarted ? 1 : 0
            }
            #expect((30..<200).contains(found), "\(found)")
        }
    }

    /// Writes a page of three devices: the middle one as given, the others ended.
    private func lay(
        out status: UInt8, _ cell: [UInt8]?, age: Int64?, noted: Int?, _ stage: StoreStage, _ id: UniqueID
    ) async throws {
        var outcomes: [UInt8] = [1]
        outcomes.append(littleEndian: UInt32(stage.now.seconds - (age ?? 0)), bytes: 4)
        outcomes += [0, 0, age == nil ? 0 : 1, 0]
        let page = cell.map { TokenPage.encode([[0, 255], $0, [0, 255]]) }
        try await stage.put([17, status, 20], .statuses, id, 0)
        if let page {
            try await stage.put(page, .updateTokens, id, 0)
        } else {
            try await stage.remove(.updateTokens, id, 0)
        }
        try await stage.put(outcomes, .outcomes, id, 0)
        _ = try await stage.store.value(
            noted.map { RedisCommand("HSET", Keys.startCounts(id, 0), "1", $0) }
                ?? RedisCommand("DEL", Keys.startCounts(id, 0)))
    }

    @Test("A large roster is looked through in parts, one after the other")
    func parts() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2000)
            let record = try await stage.started(0..<2000)
            let id = record.activity.id
            stage.advance(Healing.grace)
            for page in [0, 2] {
                let cells = (0...5).map { [0, $0 == 5 ? TokenPage.deadTokenMark : 0] as [UInt8] }
                try await stage.put(TokenPage.encode(cells), .updateTokens, id, page)
            }
            let healing = Healing(limit: 1)
            func look(_ page: Int, pages: Int) async throws -> HealingLook {
                try await stage.store.restarts.lookForHealing(healing, of: record, from: page, pages: pages)
            }
            #expect(try await look(0, pages: 1) == HealingLook(pages: [0], next: 1))
            #expect(try await look(1, pages: 1) == HealingLook(pages: [], next: 2))
            #expect(try await look(2, pages: 1) == HealingLook(pages: [2], next: 0))
            #expect(try await look(0, pages: 512) == HealingLook(pages: [0, 2], next: 0))
            // A restart prepares only the pages that it is given.
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: id, for: .random()))
            let preparation = try await stage.store.restarts.prepareRestart(healing.wish, of: record, lock, pages: [2])
            #expect(preparation?.slots == [2 * 868 + 5])
            // A device that was prepared and not started is still found.
            #expect(try await look(0, pages: 512).pages == [0, 2])
        }
    }

    @Test("An activity that is over is not looked at again, and leaves nothing behind")
    func over() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let id = record.activity.id
            let item = DueItem.healing(id)
            #expect(DueItem(item.description) == item && item.shard == Keys.shard(id))
            _ = try await stage.store.value(
                RedisCommand("ZADD", Keys.due(StoredJobs.shard(of: id)), 1, item.description))
            try await stage.store.restarts.postponeHealing(of: id, until: stage.now, from: 3)
            #expect(try await stage.store.value(RedisCommand("EXISTS", Keys.healing(id))).int == 0)
            #expect(
                try await stage.store.value(
                    RedisCommand("ZSCORE", Keys.due(StoredJobs.shard(of: id)), item.description)
                ).isNull)
            #expect(try await stage.store.restarts.healingState(of: record) == nil)
        }
    }
}
