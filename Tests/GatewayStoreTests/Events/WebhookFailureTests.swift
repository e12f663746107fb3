import EventCore
import LiveActivity
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What is known of a webhook's receiver")
struct WebhookFailureTests {
    @Test("Tries that end together count as failures in a row in whatever order they are settled, until one succeeds")
    func failures() async throws {
        try await StoreStage.run { stage in
            let webhooks = stage.store.webhooks
            let isAdded = try await webhooks.addWebhook(
                "hook", url: "https://example.com/", filter: .all, secret: [1], tenantID: stage.tenant)
            #expect(isAdded)
            let events = (0..<4).map {
                RecordedEvent(
                    id: "evt_\($0)", type: .broadcastFinished, time: stage.store.wallClock(), data: Array("{}".utf8))
            }
            try await stage.store.events.publish(events, tenantID: stage.tenant)
            let taken = try #require(
                try await webhooks.takeDeliveries(ofWebhook: "hook", stage.tenant, limit: 4, underWay: []))
            #expect(taken.deliveries.count == 4 && taken.webhook.failures == 0)
            func settle(_ delivery: Delivery, _ outcome: DeliveryOutcome) async throws -> Int? {
                let attempt = DeliveryAttempt(at: stage.store.wallClock(), duration: .milliseconds(3), status: 503)
                try await webhooks.settle(delivery, outcome, attempt, ofWebhook: "hook", stage.tenant)
                return try await webhooks.webhooks(of: stage.tenant).first?.failures
            }
            let later = DeliveryOutcome.later(at: stage.store.wallClock() + .seconds(10), error: "answered 503")
            for (count, delivery) in taken.deliveries.dropFirst().reversed().enumerated() {
                #expect(try await settle(delivery, later) == count + 1)
            }
            #expect(try await settle(taken.deliveries[0], .delivered) == 0)
            #expect(try await settle(taken.deliveries[1], later) == 1)
        }
    }
}
