import Delivery
import LiveActivity
import RedisClient
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

/// The rules of turns and superseding, by a walk over all open broadcasts.
private struct TurnModel {
    struct Open {
        let order: BroadcastOrder
        let job: JobTicket
        /// Nil for the whole segment.
        let slots: Set<UInt32>?
        let notBefore: Int64
        var isQueued = true
        /// The time from which it counts as superseded, in epoch milliseconds.
        var superseded: Int64?

        var isUpdate: Bool { order.kind == .update }
        func waits(_ now: Int64) -> Bool { isQueued && notBefore > now }
        func isSuperseded(_ now: Int64) -> Bool { superseded.map { $0 <= now } ?? false }
    }

    var open: [Open] = []

    /// Marks the broadcasts that a new one supersedes. Returns the ids of those that are superseded now.
    mutating func begin(_ kind: PushEvent, _ slots: Set<UInt32>?, leave: Int64, now: Int64) -> Set<UniqueID> {
        var ids: Set<UniqueID> = []
        func newestSame() -> UniqueID? {
            let same = open.last { $0.isUpdate && $0.isQueued && !$0.isSuperseded(now) && $0.slots == slots }
            return kind == .update && same?.waits(now) == true ? same?.order.id : nil
        }
        let same = newestSame()
        for index in open.indices where open[index].isUpdate && !open[index].isSuperseded(now) {
            let older = open[index]
            let isCovered = slots.map { slots in older.slots.map { $0.isSubset(of: slots) } ?? false } ?? true
            guard isCovered else { continue }
            let isReplaced = slots == nil ? older.waits(now) : older.order.id == same
            if leave <= now || isReplaced {
                open[index].superseded = 0
                ids.insert(older.order.id)
            } else if older.superseded == nil {
                open[index].superseded = leave
            }
        }
        return ids
    }

    private func isSpent(_ broadcast: Open, _ now: Int64) -> Bool {
        broadcast.isUpdate && broadcast.isQueued && broadcast.isSuperseded(now)
    }

    /// True if the job of a broadcast is due. It has begun then, unless it was superseded.
    mutating func isDue(_ index: Int, now: Int64) -> Bool {
        let one = open[index]
        if one.isUpdate, one.isSuperseded(now) { return true }
        if one.notBefore > now { return false }
        let isHeldUp = open[..<index].contains { older in
            guard !isSpent(older, now) else { return false }
            guard let slots = one.slots, let others = older.slots else { return true }
            // A long list and another broadcast take turns with any devices.
            if max(slots.count, others.count) > ScriptLimits.shortList { return true }
            return !slots.isDisjoint(with: others)
        }
        if !isHeldUp { open[index].isQueued = false }
        return !isHeldUp
    }
}

@Suite("Turns and superseding, against a walk over all open broadcasts")
struct TurnWalkTests {
    private static let devices: UInt32 = 7

    /// A walk of random steps on one activity.
    private final class Walk: @unchecked Sendable {
        let stage: StoreStage
        let store: GatewayStore
        let record: ActivityRecord
        var random: SeededGenerator
        var model = TurnModel()

        init(_ stage: StoreStage, seed: UInt64, interval: TimeCore.TimeInterval) async throws {
            self.stage = stage
            random = SeededGenerator(seed: seed)
            store = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, rules: StoreRules(minimumInterval: interval))
            try await stage.addDevices(0..<Int(TurnWalkTests.devices))
            record = try await stage.started(0..<Int(TurnWalkTests.devices))
        }

        var activity: UniqueID { record.activity.id }

        func list() -> Set<UInt32> {
            let count = Int.random(in: 1...3, using: &random)
            var slots = Set((0..<count).map { _ in UInt32.random(in: 0..<TurnWalkTests.devices, using: &random) })
            // A long list has slots that no device has.
            if Int.random(in: 0..<8, using: &random) == 0 { slots.formUnion(100..<800) }
            return slots
        }

        func begin() async throws {
            let kind = Int.random(in: 0..<6, using: &random) == 0 ? PushEvent.end : .update
            let slots = kind == .end || Int.random(in: 0..<5, using: &random) > 0 ? list() : nil
            let order = try #require(
                try await stage.begin(
                    kind, record, slots.map { .slots($0.sorted()) } ?? .wholeSegment, by: store))
            let key = Keys.broadcast(activity, order.id)
            let leave = try await stage.store.value(RedisCommand("HGET", key, "not_before")).int ?? 0
            let now = stage.now.milliseconds
            let expected = model.begin(kind, slots, leave: max(leave, now), now: now)
            #expect(Set(order.superseded) == expected)
            let job = try #require(try await stage.jobs(order).first { $0.broadcastID == order.id })
            model.open.append(.init(order: order, job: job, slots: slots, notBefore: leave))
        }

        /// Asks for the turn of each open broadcast in a random order, and ends some that are due.
        func turn() async throws {
            for id in model.open.map(\.order.id).shuffled(using: &random) {
                let index = try #require(model.open.firstIndex { $0.order.id == id })
                let one = model.open[index]
                let expected = model.isDue(index, now: stage.now.milliseconds)
                #expect(try await store.jobs.isDue(one.job, one.order) == expected)
                guard expected, Bool.random(using: &random) else { continue }
                #expect(try await store.jobs.complete(one.job, one.order, as: stage.gateway) != nil)
                model.open.remove(at: index)
            }
        }

        /// Leaves the index incomplete, like an update that is sent at once.
        func disturb() async throws {
            let keys = [Keys.turns(activity), Keys.turnSlots(activity)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                _ = try await stage.store.value(RedisCommand("DEL", arguments: keys))
                _ = try await stage.store.value(RedisCommand("HDEL", Keys.activity(activity), "indexed"))
            case 1:
                _ = try await stage.store.value(RedisCommand("HINCRBY", Keys.activity(activity), "indexed", -1))
            default:
                // A broadcast that ends without leaving the index.
                guard let index = model.open.indices.randomElement(using: &random) else { return }
                let order = model.open.remove(at: index).order
                _ = try await stage.store.values([
                    RedisCommand("HDEL", Keys.openBroadcasts(activity), order.order),
                    RedisCommand("DEL", Keys.broadcast(activity, order.id)),
                ])
            }
        }

        func check() async throws {
            for one in model.open {
                #expect(try await stage.isSuperseded(one.order) == one.isSuperseded(stage.now.milliseconds))
            }
        }

        /// Ends all, and sees that nothing is left.
        func finish() async throws {
            stage.advance(.seconds(60))
            try await begin()
            stage.advance(.seconds(60))
            while let one = model.open.first {
                let isDue = model.isDue(0, now: stage.now.milliseconds)
                #expect(isDue)
                #expect(try await store.jobs.isDue(one.job, one.order) == true)
                _ = try await store.jobs.complete(one.job, one.order, as: stage.gateway)
                model.open.removeFirst()
            }
            #expect(try await stage.keys("*:open").isEmpty)
            #expect(try await stage.keys("*:turns*").isEmpty)
        }
    }

    @Test(
        "Random broadcasts take their turns and supersede others as the rules say",
        arguments: [UInt64(1), 2, 3, 4, 5, 6], [TimeCore.TimeInterval.zero, .seconds(1)])
    func walk(seed: UInt64, interval: TimeCore.TimeInterval) async throws {
        try await StoreStage.run { stage in
            let walk = try await Walk(stage, seed: seed, interval: interval)
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &walk.random) {
                case 0..<6: try await walk.begin()
                case 6..<8: try await walk.turn()
                case 8: stage.advance(.milliseconds(Int.random(in: 1...900, using: &walk.random)))
                default: try await walk.disturb()
                }
                try await walk.check()
            }
            try await walk.finish()
        }
    }
}
