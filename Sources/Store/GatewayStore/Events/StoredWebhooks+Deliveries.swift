import EventCore
public import LiveActivity
import RedisClient
public import TimeCore

/// An event to deliver to a webhook.
public struct Delivery: Equatable, Sendable {
    /// The event to send.
    public let event: RecordedEvent
    /// The time at which the webhook received the event.
    public let since: WallTime
    /// The number of failed attempts.
    public let attempts: Int
}

/// The outcome of a delivery attempt.
public enum DeliveryOutcome: Equatable, Sendable {
    case delivered
    case later(at: WallTime, error: String)
    /// The event is given up, because its retries have lasted a day.
    case dead(error: String)
    /// The receiver answered 410, so the webhook is disabled.
    case gone(error: String)
}

extension StoredWebhooks {
    /// The tenants with webhooks. Some may have had their last webhook deleted.
    public func tenantsWithWebhooks() async throws(StoreError) -> [String] {
        (try await value(RedisCommand("SMEMBERS", Keys.webhookTenants)).array ?? []).compactMap(\.string)
    }

    /// The result of a search for due deliveries.
    public enum DeliveryLook: Equatable, Sendable {
        /// Another gateway holds the lease.
        case elsewhere
        /// The ids of webhooks with due work, and the time at which more work is due; nil for never.
        case here([String], next: WallTime?)
    }

    /// Finds due deliveries of a tenant, and acquires or renews the lease on them if there are any.
    /// - Parameter lease: The duration of the lease.
    public func findDeliveries(
        of tenantID: String, as gateway: UniqueID, lease: TimeInterval
    ) async throws(StoreError) -> DeliveryLook {
        let now = wallClock()
        let reply = try await run(
            Scripts.leaseDeliveries, [Keys.eventSettings(tenantID), Keys.webhookLease(tenantID)],
            [
                gateway.description, Int(lease.millisecondsRoundedUp), Keys.webhookPrefix(tenantID), now.milliseconds,
                givenUpBefore(now), forgottenBefore(now),
            ])
        guard let parts = reply.array, let first = parts.first?.string else { return .elsewhere }
        if first != "1" {
            // A webhook that is added meanwhile lists its tenant before and after it is written.
            _ = try await value(RedisCommand("SREM", Keys.webhookTenants, tenantID))
            if try await !webhooks(of: tenantID).isEmpty {
                _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
            }
        }
        let pause = parts.dropFirst().first?.string.flatMap { Int($0) }
        return .here(parts.dropFirst(2).compactMap(\.string), next: pause.map { now + .milliseconds($0) })
    }

    /// Releases the lease on a tenant's deliveries, so that another gateway can acquire it.
    public func releaseDeliveries(of tenantID: String, as gateway: UniqueID) async throws(StoreError) {
        _ = try await run(Scripts.unlock, [Keys.webhookLease(tenantID)], [gateway.description])
        announce(tenantID)
    }

    /// Returns a webhook and its due events, longest due first; nil if the webhook does not exist.
    /// - Parameter underWay: The ids of events in delivery, which are left out.
    public func takeDeliveries(
        ofWebhook id: String, _ tenantID: String, limit: Int, underWay: [String]
    ) async throws(StoreError) -> (webhook: Webhook, deliveries: [Delivery])? {
        let now = wallClock()
        let arguments: [any RedisArgumentConvertible] = [
            Keys.eventPrefix(tenantID), now.milliseconds, givenUpBefore(now), forgottenBefore(now), limit,
            context.eventLimits.deadLetters, Int(EventLimits.remembered.millisecondsRoundedUp),
        ]
        let reply = try await run(
            Scripts.takeDeliveries, Keys.webhookKeys(tenantID, id), arguments + underWay)
        guard let parts = reply.array, let first = parts.first, let webhook = Webhook(id: id, first.fields) else {
            return nil
        }
        let deliveries = stride(from: 1, to: parts.count - 5, by: 6).compactMap { start -> Delivery? in
            guard let name = parts[start].string,
                let event = RecordedEvent(id: name, Array(parts[(start + 1)...(start + 3)]))
            else { return nil }
            let since = parts[start + 4].string.flatMap { Int64($0) } ?? now.milliseconds
            return Delivery(
                event: event, since: WallTime(milliseconds: since), attempts: Int(parts[start + 5].int ?? 0))
        }
        return (webhook, deliveries)
    }

    /// Records a delivery attempt and its outcome. Does nothing if the webhook does not exist.
    public func settle(
        _ delivery: Delivery, _ outcome: DeliveryOutcome, _ attempt: DeliveryAttempt, ofWebhook id: String,
        _ tenantID: String
    ) async throws(StoreError) {
        let now = wallClock()
        let (name, due, error): (String, Int64, String)
        switch outcome {
        case .delivered: (name, due, error) = ("delivered", 0, "")
        case .later(let time, let text): (name, due, error) = ("later", time.milliseconds, text)
        case .dead(let text): (name, due, error) = ("dead", 0, text)
        case .gone(let text): (name, due, error) = ("gone", 0, text)
        }
        let number = delivery.attempts + 1
        _ = try await run(
            Scripts.settleDelivery, Keys.webhookKeys(tenantID, id) + [Keys.attempts(tenantID, id)],
            [
                id, Keys.eventPrefix(tenantID), delivery.event.id, name, now.milliseconds, due, number,
                error, context.eventLimits.deadLetters, Int(EventLimits.remembered.millisecondsRoundedUp),
                attempt.stored(delivery.event, number: number), DeliveryAttempt.kept,
                Int(DeliveryAttempt.lifetime.millisecondsRoundedUp),
            ])
    }

    /// Returns at most 200 attempts of the last day as JSON objects, newest first.
    public func attempts(ofWebhook id: String, _ tenantID: String, limit: Int) async throws(StoreError) -> [[UInt8]] {
        let reply = try await value(RedisCommand("LRANGE", Keys.attempts(tenantID, id), 0, max(1, limit) - 1))
        let since = WallTime(
            milliseconds: wallClock().milliseconds - Int64(DeliveryAttempt.lifetime.millisecondsRoundedUp))
        return (reply.array ?? []).compactMap { $0.bytes.flatMap { DeliveryAttempt.object($0, since: since) } }
    }

    /// Epoch ms. Events that arrived earlier are given up even if probes kept them from being tried.
    private func givenUpBefore(_ now: WallTime) -> Int64 {
        let time = RetrySchedule.patience.millisecondsRoundedUp + RetrySchedule.grace.millisecondsRoundedUp
        return now.milliseconds - Int64(time)
    }

    private func forgottenBefore(_ now: WallTime) -> Int64 {
        now.milliseconds - Int64(context.eventLimits.deadLetterLifetime.millisecondsRoundedUp)
    }
}
