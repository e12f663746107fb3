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
        let command = RedisCommand(
            script: Scripts.addWebhook, keys: [Keys.eventSettings(tenantID), Keys.webhook(tenantID, id)],
            arguments: [
                id, context.eventLimits.webhooks, filter.text, "url", url, "created_at", wallClock().milliseconds,
                "secret",
                secret,
            ])
        let isAdded = try await value(command.replicated(within: StoreContext.replication)).int == 1
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
        let keys = Keys.webhookKeys(tenantID, id)
        let replies = try await values([RedisCommand("ZCARD", keys[1]), RedisCommand("ZCARD", keys[4])])
        return WebhookCounts(pending: Int(replies[0].int ?? 0), deadLetters: Int(replies[1].int ?? 0))
    }

    /// Changes the given values of a webhook. Returns false if it does not exist.
    public func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool {
        let reply = try await run(
            Scripts.changeWebhook, Keys.webhookKeys(tenantID, id),
            [id, url ?? "", filter?.text ?? "", isEnabled.map { $0 ? "1" : "0" } ?? ""])
        // The pending events may be due again.
        announce(tenantID)
        if isEnabled == true { await EventSwitches.settle() }
        return reply.int == 1
    }

    /// Deletes a webhook with its events. Returns false if it does not exist.
    public func deleteWebhook(_ id: String, tenantID: String) async throws(StoreError) -> Bool {
        var isKnown = false
        while true {
            let reply = try await run(
                Scripts.deleteWebhook, Keys.webhookKeys(tenantID, id) + [Keys.attempts(tenantID, id)],
                [id, Keys.eventPrefix(tenantID), Int(EventLimits.remembered.millisecondsRoundedUp), 500])
            if reply.int != 0 { return isKnown || reply.int == 1 }
            isKnown = true
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
        let reply = try await run(
            Scripts.rotateWebhook, [Keys.webhook(tenantID, id)],
            [secret, oldUntil.milliseconds, rotation.description, wallClock().milliseconds, Webhook.mostOlderSecrets])
        return reply.int == 1
    }

    /// The largest number of dead letters in a page.
    public static let longestDeadLetterPage = 200

    /// Returns a page of dead letters, oldest first, and the offset of the next page.
    /// - Parameter offset: The number of dead letters to skip.
    public func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?) {
        let keys = Keys.webhookKeys(tenantID, id)
        let limit = min(max(1, limit), StoredWebhooks.longestDeadLetterPage)
        // Reads one more to detect a further page.
        let reply = try await value(RedisCommand("ZRANGE", keys[4], offset, offset + limit, "WITHSCORES"))
        let pairs = reply.fields.map {
            (id: String(decoding: $0.name, as: UTF8.self), time: Int64(String(decoding: $0.value, as: UTF8.self)) ?? 0)
        }
        let page = pairs.prefix(limit)
        let events = try await values(
            page.map { RedisCommand("HMGET", Keys.eventPrefix(tenantID) + $0.id, "type", "time", "data") })
        let tries = try await values(page.map { RedisCommand("HGET", keys[3], $0.id) })
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
        for _ in 0...(context.eventLimits.deadLetters / 500) {
            let moved = try await resend([], id, tenantID)
            count += moved
            if moved < 500 { break }
        }
        return count
    }

    private func resend(_ ids: [String], _ webhook: String, _ tenantID: String) async throws(StoreError) -> Int {
        let reply = try await run(
            Scripts.resendDeadLetters, Keys.webhookKeys(tenantID, webhook),
            [wallClock().milliseconds, 500, context.eventLimits.pending] + ids)
        let count = Int(reply.int ?? 0)
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
