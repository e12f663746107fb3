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

    /// Finds the webhooks of a tenant with due work. If there are any, acquires or renews the lease on deliveries.
    /// - Parameter lease: The duration of the lease.
    public func findDeliveries(
        of tenantID: String, as gateway: UniqueID, lease: TimeInterval
    ) async throws(StoreError) -> DeliveryLook {
        let now = wallClock()
        let call = Scripts.leaseDeliveries(
            settings: Keys.eventSettings(tenantID), lease: Keys.webhookLease(tenantID), gateway: gateway.description,
            lifetime: Int(lease.millisecondsRoundedUp), webhookPrefix: Keys.webhookPrefix(tenantID),
            now: now.milliseconds, givenUpBefore: givenUpBefore(now), forgottenBefore: forgottenBefore(now))
        guard let found = try await run(call) else { return .elsewhere }
        if !found.hasWebhooks {
            // A webhook that is added meanwhile lists its tenant before and after it is written.
            _ = try await value(RedisCommand("SREM", Keys.webhookTenants, tenantID))
            if try await !webhooks(of: tenantID).isEmpty {
                _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
            }
        }
        return .here(found.due, next: found.pause.map { now + .milliseconds($0) })
    }

    /// Releases the lease on a tenant's deliveries, so that another gateway can acquire it.
    public func releaseDeliveries(of tenantID: String, as gateway: UniqueID) async throws(StoreError) {
        _ = try await run(Lease.giveBack(Keys.webhookLease(tenantID), as: gateway.description))
        announce(tenantID)
    }

    /// Returns a webhook and its due events, longest due first; nil if the webhook does not exist.
    /// - Parameter underWay: The ids of events in delivery, which are left out.
    public func takeDeliveries(
        ofWebhook id: String, _ tenantID: String, limit: Int, underWay: [String]
    ) async throws(StoreError) -> (webhook: Webhook, deliveries: [Delivery])? {
        let now = wallClock()
        let keys = Keys.deliveries(tenantID, id)
        let taken = try await run(
            Scripts.takeDeliveries(
                webhook: Keys.webhook(tenantID, id), queue: keys.queue, arrivals: keys.arrivals, tries: keys.tries,
                deadLetters: keys.deadLetters, settings: Keys.eventSettings(tenantID),
                eventPrefix: Keys.eventPrefix(tenantID), now: now.milliseconds, givenUpBefore: givenUpBefore(now),
                forgottenBefore: forgottenBefore(now), wanted: limit, mostDeadLetters: context.rules.events.deadLetters,
                remembered: Int(EventLimits.remembered.millisecondsRoundedUp), underWay: underWay))
        guard let webhook = Webhook(id: id, taken.webhook) else { return nil }
        return (webhook, taken.deliveries.compactMap { Delivery($0) })
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
        let keys = Keys.deliveries(tenantID, id)
        _ = try await run(
            Scripts.settleDelivery(
                webhook: Keys.webhook(tenantID, id), queue: keys.queue, arrivals: keys.arrivals, tries: keys.tries,
                deadLetters: keys.deadLetters, settings: Keys.eventSettings(tenantID),
                attempts: Keys.attempts(tenantID, id), webhookID: id, eventPrefix: Keys.eventPrefix(tenantID),
                id: delivery.event.id, outcome: name, now: now.milliseconds, againAt: due, tried: number,
                problem: error, mostDeadLetters: context.rules.events.deadLetters,
                remembered: Int(EventLimits.remembered.millisecondsRoundedUp),
                attempt: attempt.stored(delivery.event, number: number), mostAttempts: DeliveryAttempt.kept,
                attemptsLifetime: Int(DeliveryAttempt.lifetime.millisecondsRoundedUp)))
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
        now.milliseconds - Int64(context.rules.events.deadLetterLifetime.millisecondsRoundedUp)
    }
}

extension Delivery {
    /// Parses a delivery of `take-deliveries.lua`. Returns nil for an unknown type of event.
    fileprivate init?(_ parts: [[UInt8]]) {
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 6, let event = RecordedEvent(id: texts[0], parts[1...3].map { .bytes($0) }),
            let since = Int64(texts[4]), let attempts = Int(texts[5])
        else { return nil }
        self.init(event: event, since: WallTime(milliseconds: since), attempts: attempts)
    }
}
