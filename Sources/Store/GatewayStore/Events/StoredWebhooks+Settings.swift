public import EventCore
public import LiveActivity
import RedisClient
public import TimeCore

extension StoredWebhooks {
    /// Adds a webhook. Returns false if the tenant has reached the limit.
    /// - Parameter secret: The sealed secret.
    public func addWebhook(
        _ id: String, url: String, filter: EventFilter, secret: [UInt8], tenantID: String
    ) async throws(StoreError) -> Bool {
        // Lists the tenant before the webhook exists, so that no gateway misses it.
        _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
        let call = Scripts.addWebhook(
            settings: Keys.eventSettings(tenantID), webhook: Keys.webhook(tenantID, id), id: id,
            most: context.rules.events.webhooks, types: filter.text,
            fields: ["url", url, "created_at", wallClock().milliseconds, "secret", secret])
        let isAdded = try await run(call.replicated(within: StoreContext.replication))
        // A gateway may have removed the tenant from the list in between.
        _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
        announce(tenantID)
        if isAdded { await EventSwitches.settle() }
        return isAdded
    }

    /// A tenant's webhooks, oldest first.
    public func webhooks(of tenantID: String) async throws(StoreError) -> [Webhook] {
        let names = try await value(RedisCommand("HKEYS", Keys.eventSettings(tenantID))).array ?? []
        let ids = names.compactMap(\.string).filter { $0.hasPrefix("w:") || $0.hasPrefix("x:") }.map {
            String($0.dropFirst(2))
        }
        let replies = try await values(ids.map { RedisCommand("HGETALL", Keys.webhook(tenantID, $0)) })
        return zip(ids, replies).compactMap { Webhook(id: $0, $1.fields) }.sorted {
            ($0.createdAt, $0.id) < ($1.createdAt, $1.id)
        }
    }

    /// A webhook of the tenant; nil if the tenant has none with this id.
    public func webhook(_ id: String, of tenantID: String) async throws(StoreError) -> Webhook? {
        Webhook(id: id, try await value(RedisCommand("HGETALL", Keys.webhook(tenantID, id))).fields)
    }

    /// The number of a webhook's pending events and dead letters. Both are zero if it does not exist.
    public func counts(ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> WebhookCounts {
        let keys = Keys.deliveries(tenantID, id)
        let replies = try await values([RedisCommand("ZCARD", keys.queue), RedisCommand("ZCARD", keys.deadLetters)])
        return WebhookCounts(pending: Int(replies[0].int ?? 0), deadLetters: Int(replies[1].int ?? 0))
    }

    /// Changes the given values of a webhook. Returns false if it does not exist.
    public func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool {
        let keys = Keys.deliveries(tenantID, id)
        let isChanged = try await run(
            Scripts.changeWebhook(
                webhook: Keys.webhook(tenantID, id), queue: keys.queue, arrivals: keys.arrivals, tries: keys.tries,
                deadLetters: keys.deadLetters, settings: Keys.eventSettings(tenantID), id: id, url: url ?? "",
                types: filter?.text ?? "", enabled: isEnabled.map { $0 ? "1" : "0" } ?? ""))
        // The pending events may be due again.
        announce(tenantID)
        if isEnabled == true { await EventSwitches.settle() }
        return isChanged
    }

    /// Deletes a webhook with its events. Returns false if it does not exist.
    public func deleteWebhook(_ id: String, tenantID: String) async throws(StoreError) -> Bool {
        let keys = Keys.deliveries(tenantID, id)
        let call = Scripts.deleteWebhook(
            webhook: Keys.webhook(tenantID, id), queue: keys.queue, arrivals: keys.arrivals, tries: keys.tries,
            deadLetters: keys.deadLetters, settings: Keys.eventSettings(tenantID),
            attempts: Keys.attempts(tenantID, id), id: id, eventPrefix: Keys.eventPrefix(tenantID),
            remembered: Int(EventLimits.remembered.millisecondsRoundedUp), most: 500)
        var isKnown = false
        while true {
            switch try await run(call) {
            case .deleted: return true
            case .deleting: isKnown = true
            case .unknown: return isKnown
            }
        }
    }

    /// Gives a webhook a new secret. The present secret stays valid until `oldUntil`, and earlier ones until their own
    /// times. Of those only the newest nine are kept. Returns false if the webhook does not exist.
    /// - Parameters:
    ///   - secret: The sealed secret.
    ///   - rotation: The id of the change.
    public func rotateWebhook(
        _ id: String, secret: [UInt8], oldUntil: WallTime, rotation: UniqueID, tenantID: String
    ) async throws(StoreError) -> Bool {
        try await run(
            Scripts.rotateWebhook(
                webhook: Keys.webhook(tenantID, id), secret: secret, oldUntil: oldUntil.milliseconds,
                rotation: rotation.description, now: wallClock().milliseconds, mostOlder: Webhook.mostOlderSecrets))
    }

    /// The largest number of dead letters in a page.
    public static let longestDeadLetterPage = 200

    /// Returns a page of dead letters, oldest first, and the offset of the next page.
    /// - Parameter offset: The number of dead letters to skip.
    public func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?) {
        let keys = Keys.deliveries(tenantID, id)
        let limit = min(max(1, limit), StoredWebhooks.longestDeadLetterPage)
        // Reads one more to detect a further page.
        let reply = try await value(RedisCommand("ZRANGE", keys.deadLetters, offset, offset + limit, "WITHSCORES"))
        let pairs = reply.fields.map {
            (id: String(decoding: $0.name, as: UTF8.self), time: Int64(String(decoding: $0.value, as: UTF8.self)) ?? 0)
        }
        let page = pairs.prefix(limit)
        let events = try await values(
            page.map { RedisCommand("HMGET", Keys.eventPrefix(tenantID) + $0.id, "type", "time", "data") })
        let tries = try await values(page.map { RedisCommand("HGET", keys.tries, $0.id) })
        let letters = page.indices.compactMap { index -> DeadLetter? in
            guard let event = RecordedEvent(id: page[index].id, events[index].array ?? []) else { return nil }
            let (attempts, error) = Tries.read(tries[index].string)
            return DeadLetter(
                event: event, diedAt: WallTime(milliseconds: page[index].time), attempts: attempts, lastError: error)
        }
        return (letters, pairs.count > limit ? offset + limit : nil)
    }

    /// Queues dead letters for delivery again: the given ones, or all for nil. Returns their number.
    public func resend(_ ids: [String]?, ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> Int {
        var count = 0
        let batches = ids.map { ids in
            stride(from: 0, to: ids.count, by: 500).map { Array(ids[$0..<min(ids.count, $0 + 500)]) }
        }
        if let batches {
            for batch in batches where !batch.isEmpty { count += try await resend(batch, id, tenantID) }
            return count
        }
        // Limits the rounds, because resent events may become dead letters again.
        for _ in 0...(context.rules.events.deadLetters / 500) {
            let moved = try await resend([], id, tenantID)
            count += moved
            if moved < 500 { break }
        }
        return count
    }

    private func resend(_ ids: [String], _ webhook: String, _ tenantID: String) async throws(StoreError) -> Int {
        let keys = Keys.deliveries(tenantID, webhook)
        let count = try await run(
            Scripts.resendDeadLetters(
                webhook: Keys.webhook(tenantID, webhook), queue: keys.queue, arrivals: keys.arrivals,
                tries: keys.tries, deadLetters: keys.deadLetters, settings: Keys.eventSettings(tenantID),
                now: wallClock().milliseconds, limit: 500, mostWaiting: context.rules.events.pending, ids: ids))
        if count > 0 { announce(tenantID) }
        return count
    }
}

/// The stored form of an event's attempts and last error.
enum Tries {
    static func read(_ text: String?) -> (attempts: Int, error: String?) {
        let parts = (text ?? "").split(separator: ":", maxSplits: 1)
        return (parts.first.flatMap { Int($0) } ?? 0, parts.count == 2 ? String(parts[1]) : nil)
    }
}

extension RecordedEvent {
    /// Parses type, time and data as they are stored for webhooks.
    init?(id: String, _ values: [RedisValue]) {
        guard values.count == 3, let type = values[0].string.flatMap(EventType.init), let time = values[1].int,
            let data = values[2].bytes
        else { return nil }
        self.init(id: id, type: type, time: WallTime(milliseconds: time), data: data)
    }
}
