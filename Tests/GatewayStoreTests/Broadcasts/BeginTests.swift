import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Beginning a broadcast")
struct BeginTests {
    @Test("Of two hundred starts at the same time one gets the order, and it alone is recorded")
    func oneStart() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.register(0..<3)
            let orders = try await withThrowingTaskGroup(of: BroadcastOrder?.self) { group in
                for _ in 0..<200 { group.addTask { try await stage.begin(.start, record) } }
                return try await group.reduce(into: [BroadcastOrder]()) { if let order = $1 { $0.append(order) } }
            }
            #expect(orders.count == 1)
            let order = try #require(orders.first)
            #expect(order.order == 1 && order.slots.count == 3 && order.activity.state == .started)
            #expect(try await stage.store.broadcasts.broadcast(order.id)?.state == .queued)
            let read = try await stage.read(record.activity.id)
            #expect(read.activity.state == .started && read.activity.startedAt == stage.now)
            #expect(try await stage.begin(.start, read) == nil)
        }
    }

    @Test("A start and an add at the same time: whoever comes second is refused, and nobody is lost")
    func startAgainstAdd() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<400)
            for round in 0..<20 {
                let record = try await stage.register(0..<5)
                async let change = stage.store.activities.addUsers(StoreStage.ids(5..<400), to: record.activity.id)
                for _ in 0..<round { try await stage.store.ping() }
                let order = try await stage.begin(.start, record)
                let isAdded: Bool
                if case .changed = try await change { isAdded = true } else { isAdded = false }
                // A start that was refused meets the segment as it is afterwards.
                let retried: BroadcastOrder?
                if let order { retried = order } else { retried = try await stage.begin(.start, record) }
                #expect(retried?.slots.count == (isAdded ? 400 : 5), "round \(round)")
            }
        }
    }

    @Test("The timestamps of updates grow strictly in their order, also when many come within one second")
    func timestamps() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let orders = try await withThrowingTaskGroup(of: BroadcastOrder?.self) { group in
                for _ in 0..<100 { group.addTask { try await stage.begin(.update, record) } }
                return try await group.reduce(into: [BroadcastOrder]()) { if let order = $1 { $0.append(order) } }
            }.sorted { $0.order < $1.order }
            #expect(orders.map(\.order) == Array(2...101))
            let times = try orders.map { order in
                let aps = try JSONDocument(parsing: order.payload).root.member("aps")
                return try #require(try aps?.member("timestamp")?.int64)
            }
            // The start has had the first second.
            #expect(times == Array((stage.now.seconds + 1)...(stage.now.seconds + 100)))
        }
    }

    @Test("A state that has changed meanwhile refuses the broadcast")
    func stateChanged() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let registered = try await stage.register(0..<1)
            try await stage.store.broadcasts.cancel(registered.activity).get()
            let again = try await stage.store.broadcasts.cancel(registered.activity)
            #expect(throws: StoredBroadcasts.StateChanged()) { try again.get() }
            #expect(try await stage.begin(.start, registered) == nil)
            let started = try await stage.started(0..<1)
            #expect(try await stage.begin(.end, started)?.activity.state == .dead)
            #expect(try await stage.begin(.update, started) == nil)
            #expect(try await stage.begin(.end, started) == nil)
            let dead = try await stage.store.broadcasts.cancel(started.activity)
            #expect(throws: StoredBroadcasts.StateChanged()) { try dead.get() }
            #expect(try await stage.read(started.activity.id).endBroadcast != nil)
        }
    }

    @Test("An order can be read again as it was recorded", arguments: [BroadcastScope.wholeSegment, .slots([0, 2])])
    func readAgain(scope: BroadcastScope) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let order = try #require(try await stage.begin(.update, record, scope))
            let read = try #require(
                try await stage.store.broadcasts.order(order.id, of: stage.read(record.activity.id)))
            #expect(read.kind == .update && read.scope == scope && read.payload == order.payload)
            #expect(
                read.priority == 10 && read.expiration == 77 && read.order == order.order && read.slots == order.slots)
            #expect(try await stage.store.broadcasts.order(.random(), of: record) == nil)
            #expect(try await stage.store.broadcasts.broadcast(.random()) == nil)
        }
    }

    @Test("An end of some slots leaves the activity started")
    func partialEnd() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            #expect(try await stage.begin(.end, record, .slots([1]))?.activity.state == .started)
            let read = try await stage.read(record.activity.id)
            #expect(read.activity.state == .started && read.endBroadcast == nil)
        }
    }

    @Test("The priority that the budget leaves is recorded, for whoever takes the job over")
    func priorityByBudget() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let hour = "\(stage.now.milliseconds / 3_600_000)"
            for (urgent, expected) in [("29", 10), ("30", 5)] {
                _ = try await stage.store.value(
                    RedisCommand(
                        "HSET", arguments: [Keys.activity(record.activity.id), "hour", hour, "hour_urgent", urgent]))
                let draft = BroadcastDraft(
                    kind: .update, scope: .wholeSegment,
                    payload: .update(content: Content(), options: PresentationOptions()), priority: nil, expiration: 77)
                let order = try await stage.store.broadcasts.begin(draft, for: record).get()
                #expect(order.priority == expected)
                #expect(try await stage.store.broadcasts.order(order.id, of: record)?.priority == expected)
            }
        }
    }
}
