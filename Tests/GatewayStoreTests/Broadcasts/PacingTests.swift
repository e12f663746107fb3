import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The pace of updates")
struct PacingTests {
    /// An activity whose updates leave once a second, at the beginning of a second.
    private final class Pace: Sendable {
        typealias Broadcast = (order: BroadcastOrder, job: JobTicket)

        let stage: StoreStage
        let store: GatewayStore
        let record: ActivityRecord

        init(_ stage: StoreStage, devices: Int) async throws {
            self.stage = stage
            store = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, rules: StoreRules(minimumInterval: .seconds(1)))
            stage.advance(.milliseconds(1000 - Int(stage.now.milliseconds % 1000)))
            try await stage.addDevices(0..<devices)
            record = try await stage.started(0..<devices)
        }

        func begin(
            _ kind: PushEvent = .update, _ scope: BroadcastScope = .wholeSegment
        ) async throws -> Broadcast {
            let order = try #require(try await stage.begin(kind, record, scope, by: store))
            return (order, try #require(try await stage.jobs(order).first))
        }

        func isDue(_ broadcast: Broadcast) async throws -> Bool? {
            try await store.jobs.isDue(broadcast.job, broadcast.order)
        }

        func complete(_ broadcast: Broadcast) async throws {
            _ = try await store.jobs.complete(broadcast.job, broadcast.order, as: stage.gateway)
        }

        /// The two updates that may leave at once.
        func sendTwo() async throws {
            for _ in 0..<2 {
                let update = try await begin()
                #expect(try await isDue(update) == true)
                try await complete(update)
            }
        }

        /// Completes all due updates and removes them from `waiting`. Calls `left` with each that was not
        /// superseded and its timestamp.
        func letGo(_ waiting: inout [Broadcast], _ left: (Broadcast, Int64) -> Void) async throws {
            for update in waiting {
                guard try await isDue(update) == true else { continue }
                waiting.removeAll { $0.order.id == update.order.id }
                if try await !stage.isSuperseded(update.order) { left(update, try PacingTests.timestamp(update.order)) }
                try await complete(update)
            }
        }
    }

    private static func timestamp(_ order: BroadcastOrder) throws -> Int64 {
        try #require(try JSONDocument(parsing: order.payload).root.member("aps")?.member("timestamp")?.int64)
    }

    private static func run(devices: Int = 3, _ body: (Pace) async throws -> Void) async throws {
        try await StoreStage.run { try await body(Pace($0, devices: devices)) }
    }

    @Test("Two updates leave at once, then one in each second: the newest, in the place of those that waited")
    func burst() async throws {
        try await Self.run { pace in
            let first = try await pace.begin()
            #expect(try await pace.isDue(first) == true)
            try await pace.complete(first)
            let second = try await pace.begin()
            #expect(try await pace.isDue(second) == true)
            let third = try await pace.begin()
            // The second update runs until another one leaves.
            #expect(third.order.superseded.isEmpty)
            #expect(try await !pace.stage.isSuperseded(second.order))
            #expect(try await pace.isDue(third) == false)
            pace.stage.advance(.milliseconds(400))
            let fourth = try await pace.begin()
            #expect(fourth.order.superseded == [third.order.id])
            // The third update sends nothing, so it waits for no other update, and no update waits for it.
            #expect(try await pace.isDue(third) == true)
            #expect(try Self.timestamp(fourth.order) == Self.timestamp(third.order))
            pace.stage.advance(.milliseconds(599))
            #expect(try await !pace.stage.isSuperseded(second.order))
            #expect(try await pace.isDue(fourth) == false)
            pace.stage.advance(.milliseconds(1))
            #expect(try await pace.stage.isSuperseded(second.order))
            #expect(try await pace.isDue(fourth) == false)
            try await pace.complete(second)
            #expect(try await pace.isDue(fourth) == true)
            let fifth = try await pace.begin()
            #expect(try await pace.isDue(fifth) == false)
            pace.stage.advance(.seconds(1))
            try await pace.complete(fourth)
            #expect(try await pace.isDue(fifth) == true)
        }
    }

    @Test("Of a hundred updates in two seconds a few leave, with timestamps at most two seconds ahead of the clock")
    func hundred() async throws {
        try await Self.run { pace in
            var waiting: [Pace.Broadcast] = []
            var left: [Int64] = []
            func letGo() async throws {
                try await pace.letGo(&waiting) { _, timestamp in
                    #expect(timestamp - pace.stage.now.seconds <= 2)
                    #expect(timestamp > left.last ?? 0)
                    left.append(timestamp)
                }
            }
            var last: UniqueID?
            for _ in 0..<100 {
                let update = try await pace.begin()
                last = update.order.id
                waiting.append(update)
                try await letGo()
                pace.stage.advance(.milliseconds(20))
            }
            #expect(left.count == 3)
            pace.stage.advance(.seconds(1))
            #expect(waiting.map(\.order.id) == [last])
            try await letGo()
            #expect(left.count == 4)
        }
    }

    @Test(
        "After the clock was a minute or an hour ahead, updates leave within two seconds, with growing timestamps",
        arguments: [TimeCore.TimeInterval.seconds(60), .seconds(3600)], [true, false])
    func clockStep(ahead: TimeCore.TimeInterval, isWhole: Bool) async throws {
        try await Self.run { pace in
            let scope = isWhole ? BroadcastScope.wholeSegment : .slots([0, 1])
            try await pace.sendTwo()
            pace.stage.advance(ahead)
            var waiting: [Pace.Broadcast] = []
            var begun: [UniqueID: WallTime] = [:]
            var last: Int64 = 0
            var count = 0
            func letGo() async throws {
                try await pace.letGo(&waiting) { update, timestamp in
                    #expect(timestamp > last)
                    last = timestamp
                    count += 1
                    guard let since = begun[update.order.id] else { return }
                    #expect(pace.stage.now.milliseconds - since.milliseconds <= 2000)
                }
            }
            // At least one of the last updates waits when the clock is set back.
            for _ in 0..<4 {
                waiting.append(try await pace.begin(.update, scope))
                try await letGo()
            }
            if isWhole { #expect(!waiting.isEmpty) }
            pace.stage.setBack(ahead)
            for update in waiting { begun[update.order.id] = pace.stage.now }
            count = 0
            for _ in 0..<40 {
                try await letGo()
                let update = try await pace.begin(.update, scope)
                begun[update.order.id] = pace.stage.now
                waiting.append(update)
                try await letGo()
                pace.stage.advance(.milliseconds(250))
            }
            for _ in 0..<8 {
                pace.stage.advance(.milliseconds(250))
                try await letGo()
            }
            #expect(waiting.isEmpty)
            // Ten seconds at one update a second.
            #expect(count >= 9, "\(count) left")
        }
    }

    @Test("An end waits for no time, and takes over from the update that does")
    func end() async throws {
        try await Self.run { pace in
            try await pace.sendTwo()
            let waiting = try await pace.begin()
            #expect(try await pace.isDue(waiting) == false)
            let end = try await pace.begin(.end)
            #expect(end.order.superseded == [waiting.order.id])
            #expect(try await pace.isDue(end) == true)
            // The end takes over the timestamp that the update has not used.
            #expect(try Self.timestamp(end.order) == Self.timestamp(waiting.order))
        }
    }

    @Test("Target lists of different devices have the same timestamp, those of one device growing ones")
    func lists() async throws {
        try await Self.run(devices: 50) { pace in
            var times: Set<Int64> = []
            for slot in 0..<50 {
                let list = try await pace.begin(.update, .slots([UInt32(slot)]))
                times.insert(try Self.timestamp(list.order))
            }
            // The start used the first second.
            let first = pace.stage.now.seconds + 1
            #expect(times == [first])
            let second = try await pace.begin(.update, .slots([7, 8]))
            #expect(try Self.timestamp(second.order) == first + 1)
            let third = try await pace.begin(.update, .slots([8, 9]))
            #expect(try Self.timestamp(third.order) == first + 2)
            // The third timestamp is three seconds ahead, so the list waits. A newer list of its devices supersedes it.
            let replacing = try await pace.begin(.update, .slots([8, 9]))
            #expect(replacing.order.superseded == [third.order.id])
            #expect(try Self.timestamp(replacing.order) == first + 2)
            // An update to the whole segment supersedes the list and takes over its unused timestamp.
            let whole = try await pace.begin()
            #expect(whole.order.superseded.contains(replacing.order.id))
            #expect(try Self.timestamp(whole.order) == first + 2)
        }
    }

    @Test("Lists, ends and restarts of single Live Activities in between put off no update to the whole segment")
    func alternating() async throws {
        try await Self.run(devices: 5) { pace in
            var waiting: [Pace.Broadcast] = []
            var left: [(at: Int64, timestamp: Int64, isWhole: Bool)] = []
            func letGo() async throws {
                try await pace.letGo(&waiting) { update, timestamp in
                    guard update.order.kind == .update else { return }
                    #expect(timestamp - pace.stage.now.seconds <= 2)
                    // The devices of a list have only received older timestamps.
                    #expect(timestamp > left.last?.timestamp ?? 0)
                    left.append((pace.stage.now.milliseconds, timestamp, update.order.scope == .wholeSegment))
                }
            }
            for step in 0..<80 {
                switch step % 4 {
                case 0: waiting.append(try await pace.begin())
                case 1: waiting.append(try await pace.begin(.update, .slots([0, 1])))
                case 2: waiting.append(try await pace.begin(.update, .slots([1, 2])))
                default: waiting.append(try await pace.begin(.end, .slots([UInt32(3 + step / 4 % 2)])))
                }
                try await letGo()
                pace.stage.advance(.milliseconds(125))
                try await letGo()
            }
            let times = left.filter(\.isWhole).map(\.at)
            let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .max
            #expect(longest <= 2000, "\(times.map { $0 - (times.first ?? 0) })")
            #expect(times.count >= 9)
            // The newest update waits no longer than the others.
            let last = try await pace.begin()
            pace.stage.advance(.seconds(2))
            for update in waiting where try await pace.isDue(update) == true { try await pace.complete(update) }
            #expect(try await pace.isDue(last) == true)
        }
    }

    @Test("A timestamp that is the newest of all is in one field, and an older one is told beside it")
    func fields() async throws {
        try await Self.run(devices: 2) { pace in
            func times() async throws -> [String?] {
                let names = ["timestamp", "whole_timestamp", "used_timestamp"]
                let read = RedisCommand("HMGET", arguments: [Keys.activity(pace.record.activity.id)] + names)
                return try await pace.store.value(read).array?.map(\.string) ?? []
            }
            func update(_ scope: BroadcastScope = .wholeSegment) async throws -> Int64 {
                let update = try await pace.begin(.update, scope)
                try await pace.complete(update)
                return try PacingTests.timestamp(update.order)
            }
            var whole: Int64 = 0
            for _ in 0..<2 {
                whole = try await update()
                #expect(try await times() == ["\(whole)", nil, nil])
            }
            pace.stage.advance(.seconds(5))
            let list = try await update(.slots([0]))
            #expect(list > whole)
            #expect(try await times() == ["\(list)", "\(whole)", nil])
            // The other device has not received this timestamp, so its update gets no later one.
            #expect(try await update(.slots([1])) == list)
            let next = try await update()
            #expect(next > list)
            #expect(try await times() == ["\(next)", nil, nil])
        }
    }

    @Test(
        "A restart is newer than the end of its devices, and what goes to others need not be",
        arguments: [1, ScriptLimits.shortList + 1])
    func restartAfterEnd(count: Int) async throws {
        try await Self.run(devices: count + 1) { pace in
            pace.stage.advance(.seconds(10))
            let slots = (0..<UInt32(count)).map { $0 }
            let end = try await pace.begin(.end, .slots(slots))
            let other = try await pace.begin(.update, .slots([UInt32(count)]))
            var draft = BroadcastDraft(
                kind: .start, scope: .slots(slots),
                payload: .update(content: Content(), options: PresentationOptions()),
                priority: 10, expiration: 7)
            draft.restartLock = try await pace.store.restarts.lockRestarts(of: pace.record.activity.id, for: draft.id)
            let start = try await pace.store.broadcasts.begin(draft, for: pace.record).get()
            let ended = try Self.timestamp(end.order)
            #expect(try Self.timestamp(start) > ended)
            if count == 1 { #expect(try Self.timestamp(other.order) == ended) }
        }
    }

    @Test("A list whose devices are far ahead is not looked for a second at a time")
    func farAhead() async throws {
        try await Self.run(devices: 2) { pace in
            let key = Keys.activity(pace.record.activity.id)
            let far = pace.stage.now.seconds + 100_000_000
            _ = try await pace.store.value(RedisCommand("HSET", key, "timestamp", far))
            let list = try await pace.begin(.update, .slots([1]))
            #expect(try Self.timestamp(list.order) == far + 1)
        }
    }

    @Test("A clock that is set back does not keep updates waiting")
    func clockSetBack() async throws {
        try await Self.run { pace in
            try await pace.sendTwo()
            #expect(try await pace.isDue(pace.begin()) == false)
            let store = GatewayStore(
                redis: pace.stage.redis, wallClock: { WallTime(milliseconds: pace.stage.now.milliseconds - 3_600_000) },
                rules: StoreRules(minimumInterval: .seconds(1)))
            let order = try #require(try await pace.stage.begin(.update, pace.record, by: store))
            let job = try #require(try await pace.stage.jobs(order).first { $0.broadcastID == order.id })
            pace.stage.advance(.seconds(1))
            #expect(try await store.jobs.isDue(job, order) == true)
        }
    }
}
