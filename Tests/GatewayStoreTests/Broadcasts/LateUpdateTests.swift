import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Updates that are recorded after a newer one")
struct LateUpdateTests {
    private func begin(
        _ stage: StoreStage, _ id: UniqueID, arrived seconds: Int64 = 0, _ scope: BroadcastScope = .wholeSegment,
        by store: GatewayStore? = nil
    ) async throws -> BroadcastOrder {
        let draft = draft(stage, id, arrived: seconds, scope)
        return try await (store ?? stage.store).broadcasts.begin(draft, for: stage.read(id)).get()
    }

    private func draft(
        _ stage: StoreStage, _ id: UniqueID, arrived seconds: Int64, _ scope: BroadcastScope = .wholeSegment,
        kind: PushEvent = .update
    ) -> BroadcastDraft {
        let content = Content(contentState: Array(#"{"n":1}"#.utf8)[...])
        var draft = BroadcastDraft(
            id: id.randomBroadcast(), kind: kind, scope: scope,
            payload: .update(content: content, options: PresentationOptions()), priority: 10, expiration: 77)
        draft.arrived = WallTime(milliseconds: stage.now.milliseconds + seconds * 1000)
        return draft
    }

    /// Starts an activity ten seconds before the present time.
    private func started(_ stage: StoreStage, _ count: Int) async throws -> UniqueID {
        try await stage.addDevices(0..<count)
        let id = try await stage.started(0..<count).activity.id
        stage.advance(.seconds(10))
        return id
    }

    private func restart(
        _ stage: StoreStage, _ id: UniqueID, _ slots: [UInt32], arrived seconds: Int64?
    ) async throws {
        var draft = draft(stage, id, arrived: seconds ?? 0, .slots(slots), kind: .start)
        if seconds == nil { draft.arrived = nil }
        draft.restartLock = try await stage.store.restarts.lockRestarts(of: id, for: draft.id)
        _ = try await stage.store.broadcasts.begin(draft, for: stage.read(id)).get()
    }

    private func skipped(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> Int? {
        try await stage.store.broadcasts.broadcast(order.id, in: order.activity.id)?.counts.skipped[.superseded]
    }

    private func field(_ stage: StoreStage, _ key: String, _ name: String) async throws -> String? {
        try await stage.store.value(RedisCommand("HGET", key, name)).string
    }

    private func timestamp(_ order: BroadcastOrder) throws -> Int64 {
        let aps = try JSONDocument(parsing: order.payload).root.member("aps")
        return try #require(try aps?.member("timestamp")?.int64)
    }

    private func isSuperseded(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> Bool {
        try await field(stage, Keys.broadcast(order.activity.id, order.id), "superseded") == "1"
    }

    @Test("An update that arrived before a recorded one is recorded as superseded, and supersedes nothing")
    func late() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 2)
            let newer = try await begin(stage, id)
            // Taps report the schedule that drives the activity, so a late update must not change it.
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "schedule", "s-1"))
            let names = ["timestamp", "arrived", "shown", "shown_order", "schedule"]
            var before: [String?] = []
            for name in names { before.append(try await field(stage, Keys.activity(id), name)) }
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, late))
            #expect(try await !isSuperseded(stage, newer) && late.superseded.isEmpty)
            for (name, value) in zip(names, before) {
                #expect(try await field(stage, Keys.activity(id), name) == value, "\(name)")
            }
            // The next update has its own timestamp and supersedes the newer one.
            let next = try await begin(stage, id)
            #expect(try timestamp(newer) < timestamp(next))
            #expect(next.superseded.contains(newer.id))
            #expect(try await !isSuperseded(stage, next))
        }
    }

    @Test("A late update does not supersede an update that waits for its time")
    func paced() async throws {
        try await StoreStage.run { stage in
            let paced = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, rules: StoreRules(minimumInterval: .seconds(5)))
            let id = try await started(stage, 1)
            for _ in 0..<2 { _ = try await begin(stage, id, by: paced) }
            let waiting = try await begin(stage, id, by: paced)
            let key = Keys.broadcast(id, waiting.id)
            let leaves = try #require(try await field(stage, key, "not_before"))
            let late = try await begin(stage, id, arrived: -1, by: paced)
            #expect(try await isSuperseded(stage, late))
            #expect(try await field(stage, key, "superseded") == nil)
            // The next update takes over the time of the waiting update. The late one has no effect.
            let next = try await begin(stage, id, by: paced)
            #expect(try await field(stage, Keys.broadcast(id, next.id), "not_before") == leaves)
            #expect(try await isSuperseded(stage, waiting))
        }
    }

    @Test("The order of recording counts for updates that arrived at about the same time")
    func together() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            let arrived = "\(stage.now.milliseconds + 50)"
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "arrived", arrived))
            let order = try await begin(stage, id)
            #expect(try await !isSuperseded(stage, order))
            #expect(try await field(stage, Keys.activity(id), "arrived") == arrived)
        }
    }

    /// A gateway that knows Redis's clock only to some milliseconds, because requests or replies are slow.
    private func gateway(_ stage: StoreStage, behind: Int64, ahead: Int64) -> GatewayStore {
        @Sendable func time(_ milliseconds: Int64) -> WallTime {
            WallTime(milliseconds: stage.now.milliseconds + milliseconds)
        }
        return GatewayStore(
            redis: stage.redis, wallClock: { time((ahead - behind) / 2) },
            clockBounds: { ClockBounds(earliest: time(-behind), latest: time(ahead)) })
    }

    private func beginNow(_ stage: StoreStage, _ id: UniqueID, by store: GatewayStore) async throws -> BroadcastOrder {
        var draft = draft(stage, id, arrived: 0)
        draft.arrived = store.clockBounds().latest
        return try await store.broadcasts.begin(draft, for: stage.read(id)).get()
    }

    @Test(
        "An update is never superseded by one that was recorded before it came, however slow the way to Redis is",
        arguments: [(600, 0), (0, 600), (300, 300)] as [(Int64, Int64)])
    func slow(behind: Int64, ahead: Int64) async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 1)
            let slow = gateway(stage, behind: behind, ahead: ahead)
            for store in [slow, stage.store, slow, slow, stage.store, stage.store] {
                let order = try await beginNow(stage, id, by: store)
                #expect(try await !isSuperseded(stage, order))
                stage.advance(.milliseconds(1))
            }
            // An update without an arrival time counts as arriving now.
            var draft = draft(stage, id, arrived: 0)
            draft.arrived = nil
            let order = try await slow.broadcasts.begin(draft, for: stage.read(id)).get()
            #expect(try await !isSuperseded(stage, order))
        }
    }

    @Test("Before a gateway with a wrong clock knows Redis's time, its update makes no later one late, and is not late")
    func unknown() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 1)
            let clock = StoreClock(maximumSkew: .seconds(60), local: { stage.now + .seconds(30) })
            let unsure = GatewayStore(redis: stage.redis, wallClock: { clock.now }, clockBounds: { clock.bounds })
            for (store, pause) in [(unsure, 29), (stage.store, 0), (unsure, 0)] {
                let order = try await beginNow(stage, id, by: store)
                #expect(try await !isSuperseded(stage, order))
                stage.advance(.seconds(pause))
            }
        }
    }

    @Test("Round trips of a millisecond leave an older update superseded")
    func quick() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 1)
            let quick = gateway(stage, behind: 6, ahead: 6)
            var older = draft(stage, id, arrived: 0)
            older.arrived = quick.clockBounds().latest
            stage.advance(.milliseconds(120))
            let newer = try await beginNow(stage, id, by: quick)
            let late = try await quick.broadcasts.begin(older, for: stage.read(id)).get()
            #expect(try await isSuperseded(stage, late))
            #expect(try await !isSuperseded(stage, newer))
        }
    }

    @Test("After Redis's clock was set back, no update is superseded by one from before")
    func clock() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            let ahead = "\(stage.now.milliseconds + 60_000)"
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "arrived", ahead))
            let order = try await begin(stage, id)
            #expect(try await !isSuperseded(stage, order))
            #expect(try await field(stage, Keys.activity(id), "arrived") == "\(stage.now.milliseconds)")
        }
    }

    @Test("An update that is late for all of its devices is superseded; one that is late for some is for the others")
    func lists() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 3)
            _ = try await begin(stage, id, arrived: 0, .slots([0, 1]))
            for slots in [[0], [0, 1]] as [[UInt32]] {
                let order = try await begin(stage, id, arrived: -1, .slots(slots))
                #expect(try await isSuperseded(stage, order) && order.scope == .slots(slots))
            }
            for scope in [.slots([1, 2]), .slots([0, 1, 2]), .wholeSegment] as [BroadcastScope] {
                let order = try await begin(stage, id, arrived: -1, scope)
                let left = scope == .slots([1, 2]) ? 1 : 2
                #expect(try await !isSuperseded(stage, order) && order.scope == .slots([2]), "\(scope)")
                #expect(try await skipped(stage, order) == left, "\(scope)")
                let found = try #require(try await stage.store.broadcasts.order(order.id, of: stage.read(id)))
                #expect(found.scope == .slots([2]))
            }
            _ = try await begin(stage, id)
            let list = try await begin(stage, id, arrived: -1, .slots([2]))
            #expect(try await isSuperseded(stage, list))
            stage.advance(.seconds(1))
            let next = try await begin(stage, id, .slots([2]))
            #expect(try await !isSuperseded(stage, next))
        }
    }

    @Test("Newer lists for all devices make an update to the whole segment late")
    func wholeByLists() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 2)
            for slot in 0..<2 { _ = try await begin(stage, id, .slots([UInt32(slot)])) }
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, late) && late.scope == .wholeSegment)
        }
    }

    @Test("An update whose content is kept for other devices is not narrowed", arguments: ["catch_up", "heal"])
    func kept(field name: String) async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 2)
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), name, "1"))
            _ = try await begin(stage, id, .slots([0]))
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await !isSuperseded(stage, late) && late.scope == .wholeSegment)
        }
    }

    @Test("The arrival at a device never goes back")
    func latest() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 3)
            _ = try await begin(stage, id, .slots([1]))
            try await restart(stage, id, [1, 2], arrived: -2)
            let late = try await begin(stage, id, arrived: -1, .slots([1]))
            #expect(try await isSuperseded(stage, late))
        }
    }

    @Test("An update that was left out because it shows nothing new makes older updates late")
    func unchanged() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 1)
            _ = try await begin(stage, id, arrived: -5)
            var same = draft(stage, id, arrived: 0)
            same.skipsUnchanged = true
            guard case .failure(let change) = try await stage.store.broadcasts.begin(same, for: stage.read(id)) else {
                Issue.record("it was recorded")
                return
            }
            #expect(change.unchanged != nil)
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, late))
        }
    }

    @Test("A start makes older updates late, a restart those to its devices")
    func starts() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let id = try await stage.started(0..<3).activity.id
            let early = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, early))
            stage.advance(.seconds(10))
            try await restart(stage, id, [0], arrived: 0)
            let late = try await begin(stage, id, arrived: -1, .slots([0]))
            #expect(try await isSuperseded(stage, late))
            let others = try await begin(stage, id, arrived: -1)
            #expect(others.scope == .slots([1, 2]))
        }
    }

    @Test("A start that repeats earlier content makes no update late")
    func healing() async throws {
        try await StoreStage.run { stage in
            let id = try await started(stage, 2)
            try await restart(stage, id, [0], arrived: nil)
            let order = try await begin(stage, id, arrived: -1, .slots([0]))
            #expect(try await !isSuperseded(stage, order))
        }
    }

    @Test("The job of a late update is not held; an update whose job is held makes others late")
    func held() async throws {
        try await HeldStage.run { held in
            let (stage, id) = (held.stage, held.record.activity.id)
            let update = try #require(try await held.begin())
            #expect(try await field(stage, Keys.activity(id), "arrived") == "\(stage.now.milliseconds)")
            _ = try await held.finish(update)
            let earlier = WallTime(milliseconds: stage.now.milliseconds - 1000)
            let late = try #require(try await held.recorded(arrived: earlier))
            #expect(late.job == nil)
            #expect(try await isSuperseded(stage, late.order))
        }
    }

    @Test("An update whose job is held supersedes none that came after it, however slow the way to Redis is")
    func heldSlow() async throws {
        let bounds: @Sendable (WallTime) -> ClockBounds = { now in
            ClockBounds(
                earliest: WallTime(milliseconds: now.milliseconds - 600),
                latest: WallTime(milliseconds: now.milliseconds + 600))
        }
        try await HeldStage.run(clockBounds: bounds) { held in
            let (stage, id) = (held.stage, held.record.activity.id)
            stage.advance(.seconds(10))
            let update = try #require(try await held.begin())
            _ = try await held.finish(update)
            let order = try await begin(stage, id)
            #expect(try await !isSuperseded(stage, order))
        }
    }

    @Test("The job of an update that waited while a list was recorded is not held")
    func heldBehindList() async throws {
        try await HeldStage.run { held in
            let (stage, id) = (held.stage, held.record.activity.id)
            stage.advance(.seconds(10))
            let key = "\(Keys.activity(id)):arrived:\(stage.now.milliseconds / 60_000)"
            _ = try await stage.store.value(RedisCommand("HSET", key, "0", stage.now.milliseconds))
            let earlier = WallTime(milliseconds: stage.now.milliseconds - 1000)
            #expect(try await held.recorded(arrived: earlier) == nil)
            #expect(try await held.begin() != nil)
        }
    }
}
