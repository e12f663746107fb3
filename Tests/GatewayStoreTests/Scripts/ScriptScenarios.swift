import Delivery
import EventCore
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

/// Steps for `ScriptRefusalTests` that no other suite takes.
enum ScriptScenarios {
    private static let hook = "hook"

    /// A webhook with events in all states.
    static func webhooks() async throws {
        try await StoreStage.run { stage in
            let store = small(stage)
            let (webhooks, tenant) = (store.webhooks, stage.tenant)
            for id in [hook, "other"] { try await add(id, store, tenant) }
            try await store.events.setEventStream(tenant, isOn: true)
            for source in [EventSource.customer, .device] {
                for number in 0..<7 {
                    let id = "evt_\(source)_\(number)"
                    try await store.events.publish([event(id, stage)], from: source, tenantID: tenant)
                }
            }
            _ = try await webhooks.findDeliveries(of: tenant, as: stage.gateway, lease: .seconds(5))
            let outcomes: [DeliveryOutcome] = [
                .delivered, .later(at: stage.now + .seconds(9), error: "late"), .dead(error: "dead"),
                .gone(error: "gone"),
            ]
            for id in [hook, "other"] {
                let taken = try await webhooks.takeDeliveries(ofWebhook: id, tenant, limit: 4, underWay: [])
                for (delivery, outcome) in zip(try #require(taken).deliveries, outcomes) {
                    let attempt = DeliveryAttempt(at: stage.now, duration: .milliseconds(3), status: 503)
                    try await webhooks.settle(delivery, outcome, attempt, ofWebhook: id, tenant)
                }
            }
            for isEnabled in [false, true] {
                _ = try await webhooks.changeWebhook(
                    hook, url: "https://example.org/", filter: .all, isEnabled: isEnabled, tenantID: tenant)
            }
            _ = try await webhooks.resend(nil, ofWebhook: hook, tenant)
            _ = try await webhooks.deleteWebhook(hook, tenantID: tenant)
        }
    }

    /// Events that are given up, forgotten, lost or erased.
    static func lostEvents() async throws {
        try await StoreStage.run { stage in
            let store = small(stage)
            let tenant = stage.tenant
            func take(_ id: String) async throws {
                _ = try await store.webhooks.takeDeliveries(ofWebhook: id, tenant, limit: 4, underWay: [])
            }
            for id in [hook, "other"] { try await add(id, store, tenant) }
            for number in 0..<4 { try await store.events.publish([event("evt_\(number)", stage)], tenantID: tenant) }
            _ = try await stage.store.value(RedisCommand("DEL", Keys.eventPrefix(tenant) + "evt_0"))
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.deliveries(tenant, hook).tries, "evt_0", "1:refused"))
            try await take(hook)
            for (number, data) in [(1, "{}"), (1, ""), (2, "")] {
                let call = Scripts.forgetDelivery(
                    webhook: Keys.webhook(tenant, hook), eventPrefix: Keys.eventPrefix(tenant), id: "evt_\(number)",
                    data: data, remembered: 60_000)
                _ = try await store.run(call)
            }
            for time in [RetrySchedule.patience, EventLimits().deadLetterLifetime] {
                stage.advance(time)
                stage.advance(RetrySchedule.grace)
                stage.advance(.seconds(1))
                for id in [hook, "other"] { try await take(id) }
            }
        }
    }

    /// The secrets of a webhook.
    static func webhookSecrets() async throws {
        try await StoreStage.run { stage in
            let webhooks = stage.store.webhooks
            try await add(hook, stage.store, stage.tenant)
            for (number, wait) in [(UInt8(2), 1), (3, 1), (4, 100)] {
                _ = try await webhooks.rotateWebhook(
                    hook, secret: [number], oldUntil: stage.now + .seconds(60), rotation: .random(),
                    tenantID: stage.tenant)
                let call = Scripts.resealWebhook(
                    webhook: Keys.webhook(stage.tenant, hook), secrets: [[number], [number + 16]])
                _ = try await stage.store.run(call)
                stage.advance(.seconds(wait))
            }
            _ = try await webhooks.rotateWebhook(
                hook, secret: [9], oldUntil: stage.now + .seconds(60), rotation: .random(), tenantID: stage.tenant)
            stage.advance(.seconds(100))
            _ = try await webhooks.rotateWebhook(
                hook, secret: [10], oldUntil: stage.now + .seconds(60), rotation: .random(), tenantID: stage.tenant)
        }
    }

    /// Schedules of a customer and of an app.
    static func schedules() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let activity = try await stage.started(0..<4).activity
            let schedules = stage.store.schedules
            for owner in [nil, StoreStage.key(0).insiderID] {
                for number in 0..<3 {
                    var schedule = Schedule(
                        activityID: activity.id, tenantID: stage.tenant, kind: .update,
                        payload: Payload(beforeTimestamp: [1, 2, 3], afterTimestamp: [4]), priority: nil,
                        deliverAt: stage.now + .seconds(60), createdAt: stage.now)
                    schedule.owner = owner
                    _ = try await schedules.add(schedule, to: activity, .standard)
                    if number == 0 {
                        try await schedules.conclude(schedule, .failed, reason: "none")
                    } else {
                        _ = try await schedules.narrow(schedule, to: [StoreStage.key(1)])
                        if let read = try await schedules.schedule(schedule.id, in: activity.id) {
                            _ = try await schedules.cancel(read)
                        }
                    }
                }
            }
        }
    }

    /// Steps of channels, jobs, pages and segments.
    static func others() async throws {
        try await StoreStage.run { stage in
            _ = try await stage.put("vip", ["user-1", "user-2"])
            _ = try await stage.store.segments.deleteSegment("vip", tenantID: stage.tenant)
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let (id, jobs) = (record.activity.id, stage.store.jobs)
            let order = try #require(try await stage.begin(.update, record, .slots([0, 1])))
            try await jobs.add(slot: 1, of: order.id, in: id)
            _ = try await stage.store.run(
                Scripts.noteReading(
                    updatePage: Keys.updatePage(id, 0), statusPage: Keys.statusPage(id, 0),
                    reading: Keys.readPage(id, 0), order: order.order,
                    expiresAt: record.activity.keptUntil.milliseconds))
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.activity(id), "channels", "1=first,2=!second"))
            for channel in ["first", "second"] {
                _ = try await stage.store.run(Scripts.dropChannel(activity: Keys.activity(id), channel: channel))
            }
            let shard = Keys.shard(id)
            let stream = Keys.jobs(shard, .small)
            _ = try await stage.store.value(RedisCommand("DEL", stream))
            try await jobs.add(slot: 2, of: order.id, in: id)
            _ = try await stage.store.value(RedisCommand("DEL", Keys.broadcast(id, order.id)))
            _ = try await jobs.forgetVanished(shards: shard..<(shard + 1))
        }
    }

    private static func add(_ id: String, _ store: GatewayStore, _ tenant: String) async throws {
        let isAdded = try await store.webhooks.addWebhook(
            id, url: "https://example.com/", filter: .all, secret: [1], tenantID: tenant)
        #expect(isAdded)
    }

    private static func event(_ id: String, _ stage: StoreStage) -> RecordedEvent {
        RecordedEvent(id: id, type: .tapped, time: stage.now, data: Array("{}".utf8))
    }

    /// A store whose webhooks have room for few events.
    private static func small(_ stage: StoreStage) -> GatewayStore {
        var rules = StoreRules()
        rules.events.pending = 4
        rules.events.deadLetters = 2
        return GatewayStore(redis: stage.redis, wallClock: { stage.now }, rules: rules)
    }
}
