import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Shares of due items")
struct DueShareTests {
    private static let shard = 5

    private static func activity() -> UniqueID {
        var activity = UniqueID.random()
        while Keys.shard(activity) != shard { activity = .random() }
        return activity
    }

    /// Adds due items of a tenant's activity to one shard: its schedules.
    private func add(_ count: Int, of tenantID: String, age: Int, _ stage: StoreStage) async throws -> [DueItem] {
        let activity = Self.activity()
        let items = (0..<count).map { _ in DueItem.schedule(.random(), in: activity) }
        _ = try await stage.store.values(
            [RedisCommand("HSET", Keys.activity(activity), "tenant", tenantID)]
                + items.enumerated().map { number, item in
                    RedisCommand(
                        "ZADD", Keys.due(Self.shard), Int(stage.now.milliseconds) - age + number, item.description)
                })
        return items
    }

    private static let room = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1)

    @Test("A thousand due items of one tenant do not hold up another one's, and all are given out once")
    func turns() async throws {
        try await StoreStage.run { stage in
            let many = try await add(1000, of: "greedy", age: 5000, stage)
            let few = try await add(3, of: "other", age: 1000, stage)
            var taken: [DueItem] = []
            var looks = 0
            while !Set(few).isSubset(of: taken) {
                taken += try await stage.look(Self.shard, Self.room).due
                looks += 1
                try #require(looks < 10, "another tenant's items were held up")
            }
            while taken.count < many.count + few.count {
                let next = try await stage.look(Self.shard, Self.room).due
                try #require(!next.isEmpty)
                taken += next
            }
            #expect(Set(taken) == Set(many + few) && taken.count == many.count + few.count)
            #expect(taken.filter(Set(many).contains) == many)
            #expect(try await stage.look(Self.shard, Self.room).due.isEmpty)
            #expect(try await stage.keys("*:due:*").isEmpty)
        }
    }

    @Test("Items of a tenant that is full are passed over, however many there are")
    func full() async throws {
        try await StoreStage.run { stage in
            let many = try await add(200, of: "greedy", age: 5000, stage)
            let few = try await add(6, of: "other", age: 1000, stage)
            let full = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1, fullOfBroadcasts: ["greedy"])
            #expect(try await stage.look(Self.shard, full).due == Array(few[..<4]))
            #expect(try await stage.look(Self.shard, full).due == Array(few[4...]))
            #expect(try await stage.look(Self.shard, full).due.isEmpty)
            #expect(try await stage.look(Self.shard, Self.room).due == Array(many[..<4]))
        }
    }

    @Test("A few due items of a full tenant are passed over too")
    func fewOfFull() async throws {
        try await StoreStage.run { stage in
            let first = try await add(3, of: "greedy", age: 5000, stage)
            let second = try await add(2, of: "other", age: 1000, stage)
            let full = DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1, fullOfBroadcasts: ["greedy"])
            #expect(try await stage.look(Self.shard, full).due == second)
            #expect(try await stage.look(Self.shard, Self.room).due == first)
        }
    }

    @Test("No more schedules are taken than there is room for, and other items are not held up", arguments: [10, 100])
    func roomForSchedules(_ count: Int) async throws {
        try await StoreStage.run { stage in
            let schedules = try await add(count, of: "greedy", age: 5000, stage)
            let others = (0..<2).map { _ in DueItem.activity(Self.activity()) }
            for item in others {
                let time = stage.now.milliseconds
                _ = try await stage.store.value(
                    RedisCommand("ZADD", Keys.due(Self.shard), time, item.description))
            }
            let narrow = DueRoom(items: 4, schedules: 1, erasuresOfTenant: 1)
            let none = DueRoom(items: 4, schedules: 0, erasuresOfTenant: 1)
            #expect(Set(try await stage.look(Self.shard, none).due) == Set(others))
            #expect(try await stage.look(Self.shard, narrow).due == [schedules[0]])
            #expect(try await stage.look(Self.shard, Self.room).due == Array(schedules[1..<5]))
        }
    }

    @Test("A sorted item that is cancelled is not given out; one whose queue is lost comes again")
    func cancelledAndLost() async throws {
        try await StoreStage.run { stage in
            let many = try await add(100, of: "greedy", age: 5000, stage)
            #expect(try await stage.look(Self.shard, Self.room).due == Array(many[..<4]))
            try await stage.store.due.drop(many[4])
            #expect(try await stage.look(Self.shard, Self.room).due == Array(many[5..<9]))
            for key in try await stage.keys("*:due:*") { _ = try await stage.store.value(RedisCommand("DEL", key)) }
            #expect(try await stage.look(Self.shard, Self.room).due.isEmpty)
            stage.advance(StoredDueItems.dueLease)
            var again: Set<DueItem> = []
            while true {
                let next = try await stage.look(Self.shard, Self.room).due
                if next.isEmpty { break }
                again.formUnion(next)
            }
            #expect(again == Set(many).subtracting([many[4]]))
        }
    }

    @Test("A shard whose items are sorted is not quiet")
    func notQuiet() async throws {
        try await StoreStage.run { stage in
            _ = try await add(70, of: "greedy", age: 5000, stage)
            _ = try await stage.look(Self.shard, Self.room)
            #expect(try await !stage.look(Self.shard).isQuiet)
        }
    }
}
