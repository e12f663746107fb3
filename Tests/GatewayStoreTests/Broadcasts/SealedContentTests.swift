import Delivery
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Sealed content")
struct SealedContentTests {
    private static let tenant = "acme"
    private static let payload = Payload(
        beforeTimestamp: Array(#"{"aps":{"timestamp":"#.utf8), afterTimestamp: Array(#","event":"update"}}"#.utf8))

    private static func sealer(_ number: UInt8) -> ContentSealer {
        ContentSealer(
            standard: SealingKey(derivedFrom: [UInt8](repeating: number, count: 32), label: ContentSealer.label))
    }

    private static func store(_ stage: StoreStage, _ sealer: ContentSealer?) -> GatewayStore {
        GatewayStore(redis: stage.redis, wallClock: { stage.now }, sealer: sealer)
    }

    @Test("Opens with the same key for the same broadcast and tenant, and with nothing else")
    func context() throws {
        let id = UniqueID.random()
        let sealed = try #require(Self.sealer(1).seal(Self.payload, of: id, tenantID: Self.tenant))
        #expect(ContentSealer.isSealed(sealed) && !ContentSealer.isSealed(Self.payload.beforeTimestamp))
        #expect(Self.sealer(1).open(sealed, of: id, tenantID: Self.tenant) == Self.payload)
        #expect(Self.sealer(2).open(sealed, of: id, tenantID: Self.tenant) == nil)
        #expect(Self.sealer(1).open(sealed, of: .random(), tenantID: Self.tenant) == nil)
        #expect(Self.sealer(1).open(sealed, of: id, tenantID: "other") == nil)
        var other = Self.sealer(1)
        other.use(SealingKey(derivedFrom: [UInt8](repeating: 9, count: 32), label: "x"), for: [Self.tenant])
        #expect(other.open(sealed, of: id, tenantID: Self.tenant) == nil)
        #expect(Self.sealer(1).open(Array(sealed.dropLast()), of: id, tenantID: Self.tenant) == nil)
    }

    @Test("A key that was replaced opens what it has sealed, and never seals")
    func formerKey() throws {
        let keys = (1...2).map {
            SealingKey(derivedFrom: [UInt8](repeating: $0, count: 32), label: ContentSealer.label)
        }
        let id = UniqueID.random()
        var further = Self.sealer(9)
        further.use(keys[1], former: [keys[0]], for: [Self.tenant])
        for sealer in [ContentSealer(standard: keys[1], former: [keys[0]]), further] {
            let old = try #require(Self.sealer(1).seal(Self.payload, of: id, tenantID: Self.tenant))
            #expect(sealer.open(old, of: id, tenantID: Self.tenant) == Self.payload)
            #expect(sealer.open(old, of: .random(), tenantID: Self.tenant) == nil)
            let new = try #require(sealer.seal(Self.payload, of: id, tenantID: Self.tenant))
            #expect(sealer.open(new, of: id, tenantID: Self.tenant) == Self.payload)
            #expect(Self.sealer(2).open(new, of: id, tenantID: Self.tenant) == Self.payload)
            #expect(Self.sealer(1).open(new, of: id, tenantID: Self.tenant) == nil)
        }
    }

    @Test(
        "A broadcast's record holds nothing in clear; who has the key reads it with the timestamp, who has not is told")
    func broadcasts() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let store = Self.store(stage, Self.sealer(1))
            let draft = BroadcastDraft(
                kind: .update, scope: .wholeSegment, payload: Self.payload, priority: 10, expiration: 77)
            let order = try await store.broadcasts.begin(draft, for: record).get()
            let key = Keys.broadcast(record.activity.id, order.id)
            let kept = try #require(try await stage.redis.value(RedisCommand("HGET", key, "payload")).bytes)
            #expect(ContentSealer.isSealed(kept))
            #expect(!String(decoding: kept, as: UTF8.self).contains("aps"))
            let read = try #require(try await store.broadcasts.order(order.id, of: record))
            #expect(read.payload == order.payload && !read.isUnreadable)
            #expect(String(decoding: read.payload, as: UTF8.self).contains(#""event":"update""#))
            for other in [Self.sealer(2), nil] {
                let unread = try #require(try await Self.store(stage, other).broadcasts.order(order.id, of: record))
                #expect(unread.isUnreadable && unread.payload.isEmpty)
            }
        }
    }

    @Test("A record that was written in clear is read by a store that seals")
    func former() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let order = try #require(try await stage.begin(.update, record))
            let read = try #require(try await Self.store(stage, Self.sealer(1)).broadcasts.order(order.id, of: record))
            #expect(read.payload == order.payload && !read.isUnreadable && !read.payload.isEmpty)
        }
    }

    @Test("A schedule's content is sealed likewise, and gone from Redis when it has been carried out")
    func schedules() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let store = Self.store(stage, Self.sealer(1))
            let schedule = Schedule(
                activityID: record.activity.id, tenantID: record.activity.tenantID, kind: .update,
                payload: Self.payload, priority: 10, deliverAt: stage.now + .seconds(60), createdAt: stage.now)
            let added = try await store.schedules.add(schedule, to: record.activity, .standard)
            #expect(added == .added)
            let key = Keys.schedule(record.activity.id, schedule.id)
            let kept = try #require(try await stage.redis.value(RedisCommand("HGET", key, "before")).bytes)
            #expect(ContentSealer.isSealed(kept))
            let read = try await store.schedules.schedule(schedule.id, in: record.activity.id)
            #expect(read?.payload == Self.payload && read?.isUnreadable == false)
            let unread = try await Self.store(stage, Self.sealer(2)).schedules.schedule(
                schedule.id, in: record.activity.id)
            #expect(unread?.payload == nil && unread?.isUnreadable == true)
            try await store.schedules.conclude(schedule, .done, reason: nil)
            let left = try await stage.redis.value(RedisCommand("HMGET", key, "before", "after")).array ?? []
            #expect(left.count == 2 && left.allSatisfy(\.isNull))
        }
    }
}
