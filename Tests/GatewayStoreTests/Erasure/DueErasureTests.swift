import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Erasures in the due queue")
struct DueErasureTests {
    /// Puts erasures of a tenant into one shard's queue, all due.
    private func add(
        _ count: Int, of tenantID: String, to shard: Int, _ stage: StoreStage
    ) async throws -> [DueItem] {
        var items: [DueItem] = []
        var number = 0
        while items.count < count {
            number += 1
            let erasure = Erasure(
                tenantID: tenantID, insiderID: "user-\(number)", isOfUser: true, erasedAt: stage.now)
            guard erasure.shard == shard else { continue }
            items.append(erasure.item)
            _ = try await stage.redis.value(
                RedisCommand("ZADD", Keys.due(shard), Int(stage.now.milliseconds) - 100_000 + number, "\(erasure.item)")
            )
        }
        return items
    }

    @Test("Nothing waits behind the erasures of a tenant: one of them comes in a look, and none where there is no room")
    func passedOver() async throws {
        try await StoreStage.run { stage in
            let end = DueItem.activity(.random())
            let many = try await add(100, of: "greedy", to: end.shard, stage)
            let other = try await add(1, of: "other", to: end.shard, stage)
            let queue = Keys.due(end.shard)
            for (item, age) in [(other[0], 2), (end, 1)] {
                _ = try await stage.redis.value(
                    RedisCommand("ZADD", queue, Int(stage.now.milliseconds) - age, "\(item)"))
            }
            // The head of the queue is all of the tenant that has no room.
            let full = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1, fullOfErasures: ["greedy"])
            #expect(Set(try await stage.look(end.shard, full).due) == [other[0], end])
            let room = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1)
            #expect(try await stage.look(end.shard, room).due == [many[0]])
            let nobody = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 0)
            #expect(try await stage.look(end.shard, nobody).due.isEmpty)
            #expect(try await stage.look(end.shard, room).due == [many[1]])
        }
    }

    @Test("What found no room comes again at its time, unless it is somebody else's by then, or done")
    func givenBack() async throws {
        try await StoreStage.run { stage in
            let (due, shard) = (stage.store.due, 7)
            let items = try await add(3, of: "tenant", to: shard, stage)
            let room = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 4)
            let taken = try await stage.look(shard, room)
            #expect(taken.due == items)
            try await due.drop(items[1])
            let later = stage.now + .seconds(60)
            try await due.postpone(items[2], until: later)
            try await due.giveBack(taken.due, takenUntil: taken.dueUntil, after: .milliseconds(100))
            #expect(try await stage.look(shard, room).due.isEmpty)
            stage.advance(.milliseconds(100))
            // Another gateway has it now; the first one comes too late.
            let again = try await stage.look(shard, room)
            #expect(again.due == [items[0]])
            try await due.giveBack(taken.due, takenUntil: taken.dueUntil, after: .zero)
            #expect(try await stage.look(shard, room).due.isEmpty)
        }
    }

    @Test(
        "Who asks for an erasure again is told of one that was broken off, until it is concluded",
        arguments: [true, false])
    func open(isOfUser: Bool) async throws {
        try await StoreStage.run { stage in
            let (key, erasures) = (StoreStage.key(0), stage.store.erasures)
            func begin() async throws -> ErasureStart {
                isOfUser
                    ? try await erasures.begin(key.insiderID, tenantID: stage.tenant)
                    : try await erasures.begin(key, tenantID: stage.tenant)
            }
            try await stage.addDevices(0..<1)
            let first = try await begin()
            #expect(first.devices == 1 && first.open.isEmpty)
            let mark = Keys.openErasures(stage.tenant, key.insiderID)
            let left = try await stage.store.value(RedisCommand("PTTL", mark)).int ?? 0
            #expect(left > 8 * 86_400_000)
            // Long after it is forgotten when the user was erased.
            _ = try await stage.store.value(RedisCommand("DEL", Keys.erased(stage.tenant, key.insiderID)))
            let second = try await begin()
            #expect(second.devices == 0 && second.open == [first.erasure])
            for erasure in [first.erasure, second.erasure] { try await stage.goOn(with: erasure) }
            #expect(try await begin().open.isEmpty)
        }
    }
}
