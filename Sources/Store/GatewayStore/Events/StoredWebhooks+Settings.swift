public import EventCore
public import LiveActivity
import RedisClient
public import TimeCore

extension StoredWebhooks {
    /// Makes a webhook. False when the tenant has as many as it may have.
    /// - Parameter secret: sealed.
    public func addWebhook(
        _ id: String, url: String, filter: EventFilter, secret: [UInt8], tenantID: String
    ) async throws(StoreError) -> Bool {
        // Before it is there, so that no gateway overlooks it.
        _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
        let command = RedisCommand(
            script: Scripts.addWebhook, keys: [Keys.eventSettings(tenantID), Keys.webhook(tenantID, id)],
            arguments: [
                id, context.eventLimits.webhooks, filter.text, "url", url, "created_at", wallClock().milliseconds,
                "secret",
                secret,
            ])
        let isAdded = try await value(command.replicated(within: StoreContext.replication)).int == 1
        // And again, should the tenant have been taken for one without webhooks in between.
        _ = try await value(RedisCommand("SADD", Keys.webhookTenants, tenantID))
        announce(tenantID)
        if isAdded { await EventSwitches.settle() }
        return isAdded
    }

    /// A tenant's webhooks, the oldest first.
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

    /// One of the tenant's webhooks; nil when it has none of this id.
    public func webhook(_ id: String, of tenantID: String) async throws(StoreError) -> Webhook? {
        Webhook(id: id, try await value(RedisCommand("HGETALL", Keys.webhook(tenantID, id))).fields)
    }

    /// How many events wait for a webhook, and how many it has been given up on. Zero when there is no such webhook.
    public func counts(ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> WebhookCounts {
        let keys = Keys.webhookKeys(tenantID, id)
        let replies = try await values([RedisCommand("ZCARD", keys[1]), RedisCommand("ZCARD", keys[4])])
        return WebhookCounts(pending: Int(replies[0].int ?? 0), deadLetters: Int(replies[1].int ?? 0))
    }

    /// Changes what is not nil. False when there is no such webhook.
    public func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool {
        let reply = try await run(
            Scripts.changeWebhook, Keys.webhookKeys(tenantID, id),
            [id, url ?? "", filter?.text ?? "", isEnabled.map { $0 ? "1" : "0" } ?? ""])
        // What waited is due again.
        announce(tenantID)
        if isEnabled == true { await EventSwitches.settle() }
        return reply.int == 1
    }

    /// Deletes a webhook with all that waits for it. False when there is none.
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

    /// Gives a webhook a new secret (sealed); the present one is in force until then too, and those before it until
    /// what they were given, the newest ten of them. False when there is no such webhook.
    /// - Parameter rotation: names the change.
    public func rotateWebhook(
        _ id: String, secret: [UInt8], oldUntil: WallTime, rotation: UniqueID, tenantID: String
    ) async throws(StoreError) -> Bool {
        let reply = try await run(
            Scripts.rotateWebhook, [Keys.webhook(tenantID, id)],
            [secret, oldUntil.milliseconds, rotation.description, wallClock().milliseconds, Webhook.mostOlderSecrets])
        return reply.int == 1
    }

    /// The most dead letters in one page.
    public static let longestDeadLetterPage = 200

    /// Events that were given up, the oldest first.
    /// - Parameter offset: how many to pass over.
    public func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?) {
        let keys = Keys.webhookKeys(tenantID, id)
        let limit = min(max(1, limit), StoredWebhooks.longestDeadLetterPage)
        // One more, to know whether there is one.
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

    /// Has events tried again that were given up: those named, or all.
    public func resend(_ ids: [String]?, ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> Int {
        var count = 0
        let batches = ids.map { ids in
            stride(from: 0, to: ids.count, by: 500).map { Array(ids[$0..<min(ids.count, $0 + 500)]) }
        }
        if let batches {
            for batch in batches where !batch.isEmpty { count += try await resend(batch, id, tenantID) }
            return count
        }
        // What dies again meanwhile is not sent for ever.
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

/// How often an event was tried, and what went wrong last, as the store keeps it.
enum Tries {
    static func read(_ text: String?) -> (attempts: Int, error: String?) {
        let parts = (text ?? "").split(separator: ":", maxSplits: 1)
        return (parts.first.flatMap { Int($0) } ?? 0, parts.count == 2 ? String(parts[1]) : nil)
    }
}

extension RecordedEvent {
    /// From type, time and data as they are kept for webhooks.
    init?(id: String, _ values: [RedisValue]) {
        guard values.count == 3, let type = values[0].string.flatMap(EventType.init), let time = values[1].int,
            let data = values[2].bytes
        else { return nil }
        self.init(id: id, type: type, time: WallTime(milliseconds: time), data: data)
    }
}
