import Delivery
import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Broadcasts whose ids lead to their activity")
struct BroadcastNameTests {
    private func update(_ id: UniqueID) -> BroadcastDraft {
        BroadcastDraft(
            id: id, kind: .update, scope: .wholeSegment,
            payload: .update(content: Content(), options: PresentationOptions()), priority: 5, expiration: 0)
    }

    @Test("A broadcast named after its activity has no pointer, any other has one, and both are its tenant's alone")
    func both() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            #expect(id.activity == id)
            let before = Set(try await stage.keys("fanfare:{b:*"))
            let broadcasts = stage.store.broadcasts
            for name in [id.randomBroadcast(), UniqueID.random()] {
                let order = try await broadcasts.begin(update(name), for: stage.read(id)).get()
                #expect(order.id == name)
                let pointers = Set(try await stage.keys("fanfare:{b:*")).subtracting(before)
                #expect(pointers == (name.activity == id ? [] : [Keys.broadcastPointer(name)]))
                #expect(try await broadcasts.broadcast(name, of: stage.tenant)?.activityID == id)
                #expect(try await broadcasts.broadcast(name, of: "other") == nil)
            }
            #expect(try await broadcasts.broadcast(id.randomBroadcast(), of: stage.tenant) == nil)
        }
    }

    @Test("One pointer leads to the activity of a topic from all broadcasts that are named after it")
    func topics() async throws {
        let activity = UniqueID(high: 0x0123_4567_89AB_4DEF, low: 0x8000_0000_0000_0001)
        #expect(activity.activity != activity)
        #expect(Keys.pointer(to: activity, from: activity.randomBroadcast()) == Keys.activityPointer(activity))
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            let before = Set(try await stage.keys("fanfare:{b:*"))
            // Its first eight bytes are those of the activity.
            let name = UniqueID(high: id.high, low: ~id.low)
            _ = try await stage.store.broadcasts.begin(update(name), for: stage.read(id)).get()
            #expect(Set(try await stage.keys("fanfare:{b:*")).subtracting(before) == [Keys.activityPointer(id)])
            #expect(try await stage.store.broadcasts.broadcast(name, of: stage.tenant)?.activityID == id)
        }
    }

    @Test("Whoever makes an activity draws another id where one has it, and leaves that one as it is")
    func collision() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let taken = try await stage.register(0..<2).activity.id
            let before = try await stage.store.value(RedisCommand("HGETALL", Keys.activity(taken)))
            for way in 0..<3 {
                let fresh = UniqueID.randomActivity()
                let ids = Locked([fresh, taken, taken])
                var rules = StoreRules()
                rules.drawActivityID = { ids.withLock { $0.popLast() ?? .randomActivity() } }
                let store = GatewayStore(
                    redis: stage.redis, wallClock: { [now = stage.now] in now }, rules: rules)
                let registration = StoredActivities.Registration(
                    type: StoreStage.type, endsAt: stage.now + .seconds(3600))
                switch way {
                case 0:
                    let report = try await store.activities.register(
                        registration, insiderIDs: StoreStage.ids(0..<1), tenantID: stage.tenant)
                    #expect(report.activityID == fresh)
                case 1:
                    try await stage.put("all", StoreStage.ids(0..<2))
                    let made = try await store.activities.register(
                        registration, segment: "all", tenantID: stage.tenant, checkpoint: {})
                    guard case .registered(let report) = made else { throw StoreError.damaged("a segment") }
                    #expect(report.activityID == fresh)
                default:
                    let record = try await store.activities.findOrMake(
                        ExternalName("order", type: StoreStage.type), tenantID: stage.tenant,
                        opener: StoreStage.ids(0..<1)[0], .standard)
                    #expect(record.activity.id == fresh)
                }
            }
            let after = try await stage.store.value(RedisCommand("HGETALL", Keys.activity(taken)))
            #expect(after.array?.map(\.bytes) == before.array?.map(\.bytes) && before.fields.count > 3)
        }
    }
}
