import EventCore
public import LiveActivity
import RedisClient
public import TimeCore

/// An event on its way to a webhook.
public struct Delivery: Equatable, Sendable {
    /// What the receiver is told.
    public let event: RecordedEvent
    /// When it was handed to the webhook.
    public let since: WallTime
    /// Tries that have failed.
    public let attempts: Int
}

/// What became of a try.
public enum DeliveryOutcome: Equatable, Sendable {
    case delivered
    case later(at: WallTime, error: String)
    /// A day has passed.
    case dead(error: String)
    /// The receiver wants nothing more; the webhook is switched off.
    case gone(error: String)
}

extension StoredWebhooks {
    /// The tenants that have, or had, webhooks.
    public func tenantsWithWebhooks() async throws(StoreError) -> [String] {
        (try await value(RedisCommand("SMEMBERS", Keys.webhookTenants)).array ?? []).compactMap(\.string)
    }

    /// What a look at a tenant comes to.
    public enum DeliveryLook: Equatable, Sendable {
        /// Another gateway delivers its events.
        case elsewhere
        /// The webhooks that have something to do; and while none has, when one will have, nil for never.
        case here([String], next: WallTime?)
    }

    /// Becomes the one that delivers a tenant's events, for as long as `lease`, or stays so, while there are any to
    /// deliver.
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
            // A webhook that is made now puts the tenant back before it is there.
            _ = try await value(RedisCommand("SREM", Keys.webhookTenants, tenantID))
            if try await !webhooks(of: tenantID).isEmpty {
                _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
            }
        }
        let pause = parts.dropFirst().first?.string.flatMap { Int($0) }
        return .here(parts.dropFirst(2).compactMap(\.string), next: pause.map { now + .milliseconds($0) })
    }

    /// Lets another gateway deliver the tenant's events.
    public func releaseDeliveries(of tenantID: String, as gateway: UniqueID) async throws(StoreError) {
        _ = try await run(Scripts.unlock, [Keys.webhookLease(tenantID)], [gateway.description])
        announce(tenantID)
    }

    /// The webhook, and events of it that are due, the ones that have been so longest first.
    /// - Parameter underWay: events that are being delivered.
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

    /// Writes what became of a try, and keeps the try itself for a while.
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

    /// The tries of the last day, the newest first, as objects of JSON; of more than two hundred the newest.
    public func attempts(ofWebhook id: String, _ tenantID: String, limit: Int) async throws(StoreError) -> [[UInt8]] {
        let reply = try await value(RedisCommand("LRANGE", Keys.attempts(tenantID, id), 0, max(1, limit) - 1))
        let since = WallTime(
            milliseconds: wallClock().milliseconds - Int64(DeliveryAttempt.lifetime.millisecondsRoundedUp))
        return (reply.array ?? []).compactMap { $0.bytes.flatMap { DeliveryAttempt.object($0, since: since) } }
    }

    /// Epoch ms. What is not tried for so long, since only probes are sent, is given up without.
    private func givenUpBefore(_ now: WallTime) -> Int64 {
        let time = RetrySchedule.patience.millisecondsRoundedUp + RetrySchedule.grace.millisecondsRoundedUp
        return now.milliseconds - Int64(time)
    }

    private func forgottenBefore(_ now: WallTime) -> Int64 {
        now.milliseconds - Int64(context.eventLimits.deadLetterLifetime.millisecondsRoundedUp)
    }
}
