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
        let content = Content(contentState: Array(#"{"n":1}"#.utf8)[...])
        var draft = BroadcastDraft(
            id: id.randomBroadcast(), kind: .update, scope: scope,
            payload: .update(content: content, options: PresentationOptions()), priority: 10, expiration: 77)
        draft.arrived = WallTime(milliseconds: stage.now.milliseconds + seconds * 1000)
        return try await (store ?? stage.store).broadcasts.begin(draft, for: stage.read(id)).get()
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
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            let newer = try await begin(stage, id)
            let names = ["timestamp", "arrived", "shown", "shown_order"]
            var before: [String?] = []
            for name in names { before.append(try await field(stage, Keys.activity(id), name)) }
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, late))
            #expect(try await !isSuperseded(stage, newer) && late.superseded.isEmpty)
            for (name, value) in zip(names, before) {
                #expect(try await field(stage, Keys.activity(id), name) == value, "\(name)")
            }
            // The next update has a timestamp of its own, and takes the place of the newer one.
            let next = try await begin(stage, id)
            #expect(try timestamp(newer) < timestamp(next))
            #expect(next.superseded.contains(newer.id))
            #expect(try await !isSuperseded(stage, next))
        }
    }

    @Test("A late update does not supersede an update that waits for its time")
    func paced() async throws {
        try await StoreStage.run { stage in
            let paced = GatewayStore(redis: stage.redis, wallClock: { stage.now }, minimumInterval: .seconds(5))
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            for _ in 0..<2 { _ = try await begin(stage, id, by: paced) }
            let waiting = try await begin(stage, id, by: paced)
            let key = Keys.broadcast(id, waiting.id)
            let leaves = try #require(try await field(stage, key, "not_before"))
            let late = try await begin(stage, id, arrived: -1, by: paced)
            #expect(try await isSuperseded(stage, late))
            #expect(try await field(stage, key, "superseded") == nil)
            // The next update takes over the time of the update that waits, as if there had been no late one.
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

    @Test("An update to a target list is late if newer updates went to all of its devices")
    func lists() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let id = try await stage.started(0..<3).activity.id
            _ = try await begin(stage, id, .slots([0, 1]))
            for (slots, isLate) in [([0], true), ([0, 1], true), ([1, 2], false), ([2], false)] as [([UInt32], Bool)] {
                let order = try await begin(stage, id, arrived: -1, .slots(slots))
                #expect(try await isSuperseded(stage, order) == isLate, "\(slots)")
            }
            // An update to all has devices that none of these went to.
            let whole = try await begin(stage, id, arrived: -1)
            #expect(try await !isSuperseded(stage, whole))
            _ = try await begin(stage, id)
            let list = try await begin(stage, id, arrived: -1, .slots([2]))
            #expect(try await isSuperseded(stage, list))
            stage.advance(.seconds(1))
            let next = try await begin(stage, id, .slots([2]))
            #expect(try await !isSuperseded(stage, next))
        }
    }

    @Test("A late update is not sent at once; what is sent at once makes others late")
    func direct() async throws {
        try await DirectStage.run { direct in
            let (stage, id) = (direct.stage, direct.record.activity.id)
            let update = try #require(try await direct.begin())
            #expect(try await field(stage, Keys.activity(id), "arrived") == "\(stage.now.milliseconds)")
            _ = try await direct.finish(update)
            let earlier = WallTime(milliseconds: stage.now.milliseconds - 1000)
            #expect(try await direct.begin(arrived: earlier) == nil)
            let late = try await begin(stage, id, arrived: -1)
            #expect(try await isSuperseded(stage, late))
        }
    }
}
