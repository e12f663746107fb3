import Delivery
import EventCore
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The share of events that devices cause")
struct DeviceEventShareTests {
    private func event(_ number: Int) -> RecordedEvent {
        RecordedEvent(id: "evt_\(number)", type: .tapped, time: .now(), data: Array(#"{"n":\#(number)}"#.utf8))
    }

    private func numbers(_ events: [RecordedEvent]) -> [Int] { events.compactMap { Int($0.id.dropFirst(4)) } }

    /// All events behind a cursor, which moves on.
    private func read(
        _ store: GatewayStore, _ tenant: String, _ cursor: inout EventCursor, limit: Int
    ) async throws -> [Int] {
        var found: [Int] = []
        while true {
            let page = try await store.events.events(of: tenant, after: cursor, limit: limit)
            cursor = page.cursor
            if page.events.isEmpty { return found }
            #expect(page.events.count <= limit)
            found += numbers(page.events)
        }
    }

    private func store(_ stage: StoreStage, _ change: (inout EventLimits) -> Void) -> GatewayStore {
        var rules = StoreRules()
        change(&rules.events)
        return GatewayStore(redis: stage.redis, rules: rules)
    }

    @Test("Devices push out only events of devices, and a reader sees all in the order in which they were recorded")
    func stream() async throws {
        try await StoreStage.run { stage in
            let store = store(stage) { $0.streamLength = 100 }
            try await store.events.setEventStream(stage.tenant, isOn: true)
            try await store.events.publish([event(0)], tenantID: stage.tenant)
            var (cursor, seen): (EventCursor, [Int]) = (.beginning, [])
            for number in 1..<1500 {
                let source: EventSource = number.isMultiple(of: 25) ? .customer : .device
                try await store.events.publish([event(number)], from: source, tenantID: stage.tenant)
                if number.isMultiple(of: 37) { seen += try await read(store, stage.tenant, &cursor, limit: 7) }
            }
            seen += try await read(store, stage.tenant, &cursor, limit: 7)
            #expect(seen == Array(0..<1500))
            for limit in [1, 100, 500] {
                var start = EventCursor.beginning
                let kept = try await read(store, stage.tenant, &start, limit: limit)
                #expect(kept == kept.sorted() && start == cursor)
                #expect(kept.filter { $0.isMultiple(of: 25) } == Array(stride(from: 0, to: 1500, by: 25)))
                #expect((100...300).contains(kept.count { !$0.isMultiple(of: 25) }), "\(kept.count)")
                let length = try await store.events.eventStream(stage.tenant).length
                #expect(length == kept.count)
            }
        }
    }

    @Test("Events of an ended broadcast count for their source, even if another gateway publishes them")
    func ended() async throws {
        try await StoreStage.run { stage in
            try await stage.store.events.setEventStream(stage.tenant, isOn: true)
            try await stage.addDevices(0..<1)
            for source in [EventSource.customer, .device] {
                let record = try await stage.register(0..<1)
                var draft = BroadcastDraft(
                    kind: .start, scope: .wholeSegment,
                    payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 0)
                draft.origin.source = source
                let order = try await stage.store.broadcasts.begin(draft, for: record).get()
                let job = try #require(try await stage.jobs(order).first)
                _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                try await stage.store.jobs.discard(job, as: stage.gateway)
            }
            for key in Keys.eventStreams(stage.tenant) {
                #expect(try await stage.redis.value(RedisCommand("XLEN", key)).int == 1)
            }
        }
    }

    @Test("The rest of an erased event comes after all other events, in both streams")
    func erased() async throws {
        try await StoreStage.run { stage in
            let store = store(stage) { _ in }
            try await store.events.setEventStream(stage.tenant, isOn: true)
            for number in 0..<4 {
                try await store.events.publish(
                    [event(number)], from: number < 2 ? .device : .customer, tenantID: stage.tenant)
            }
            let keys = Keys.eventStreams(stage.tenant)
            let first = try await stage.redis.value(RedisCommand("XRANGE", keys[1], "-", "+", "COUNT", 2)).array ?? []
            for (entry, data) in zip(first, ["{}", ""]) {
                let place = try #require(entry.array?.first?.string)
                let call = Scripts.replaceEvent(
                    stream: keys[1], eventStream: keys[0], entry: place,
                    id: entry.array?.last?.fields.first?.1 ?? [], type: "push.live_activity_synced", time: 1, data: data
                )
                #expect(try await stage.store.run(call))
            }
            var cursor = EventCursor.beginning
            #expect(try await read(store, stage.tenant, &cursor, limit: 10) == [2, 3, 0])
        }
    }

    @Test("Events of devices fill at most a half of a webhook's queue and dead letters")
    func webhook() async throws {
        try await StoreStage.run { stage in
            let store = store(stage) {
                $0.pending = 20
                $0.deadLetters = 10
            }
            let isAdded = try await store.webhooks.addWebhook(
                "hook", url: "https://example.com/", filter: .all, secret: [1], tenantID: stage.tenant)
            #expect(isAdded)
            func counts() async throws -> WebhookCounts {
                try await store.webhooks.counts(ofWebhook: "hook", stage.tenant)
            }
            for number in 0..<100 {
                try await store.events.publish([event(number)], from: .device, tenantID: stage.tenant)
            }
            #expect(try await counts() == WebhookCounts(pending: 10, deadLetters: 5))
            for number in 100..<115 { try await store.events.publish([event(number)], tenantID: stage.tenant) }
            #expect(try await counts() == WebhookCounts(pending: 20, deadLetters: 10))
            let webhook = try #require(try await store.webhooks.webhooks(of: stage.tenant).first)
            #expect(webhook.dropped == 85)
            // The text of a dropped event is not kept.
            let texts = try await stage.keys("fanfare:{e:*:v:*").count
            #expect(texts == 115)
            let dropped = Keys.eventPrefix(stage.tenant) + "evt_50"
            #expect(try await stage.redis.value(RedisCommand("HKEYS", dropped)).array?.map(\.string) == ["at"])
        }
    }
}
