// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let addWebhookScript = RedisScript(
        name: "add-webhook", source: String(cString: store_script_add_webhook()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3, group: 2)))

    /// Adds a webhook unless the tenant has reached the limit.
    static func addWebhook(
        settings: String, webhook: String, id: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        types: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(addWebhookScript, [settings, webhook], [id, most, types] + fields, read: ScriptReply.flag)
    }

    static let changeWebhookScript = RedisScript(
        name: "change-webhook", source: String(cString: store_script_change_webhook()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 4)))

    /// Changes the URL, types or state of a webhook, and resets its failures.
    static func changeWebhook(
        webhook: String, queue: String, arrivals: String, tries: String, deadLetters: String, settings: String,
        id: some RedisArgumentConvertible, url: some RedisArgumentConvertible, types: some RedisArgumentConvertible,
        enabled: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            changeWebhookScript, [webhook, queue, arrivals, tries, deadLetters, settings], [id, url, types, enabled],
            read: ScriptReply.flag)
    }

    enum DeleteWebhookReply {
        case deleted
        case deleting
        case unknown

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .deleted
            case 0: return .deleting
            case -1: return .unknown
            default: return nil
            }
        }
    }

    static let deleteWebhookScript = RedisScript(
        name: "delete-webhook", source: String(cString: store_script_delete_webhook()),
        arity: RedisScriptArity(keys: .init(required: 7), arguments: .init(required: 4)))

    /// Deletes a webhook and its events, a limited number at a time.
    static func deleteWebhook(
        webhook: String, queue: String, arrivals: String, tries: String, deadLetters: String, settings: String,
        attempts: String, id: some RedisArgumentConvertible, eventPrefix: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, most: some RedisArgumentConvertible
    ) -> ScriptCall<DeleteWebhookReply> {
        ScriptCall(
            deleteWebhookScript, [webhook, queue, arrivals, tries, deadLetters, settings, attempts],
            [id, eventPrefix, remembered, most], read: DeleteWebhookReply.read)
    }

    struct FindDeliveriesOfUserReply {
        let count: Int
        let found: [RedisField]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let count = ScriptReply.int(parts[0]),
                let found = ScriptReply.fields(parts[1])
            else { return nil }
            return Self(count: count, found: found)
        }
    }

    static let findDeliveriesOfUserScript = RedisScript(
        name: "find-deliveries-of-user", source: String(cString: store_script_find_deliveries_of_user()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Finds the events with a text in a part of a webhook's list.
    static func findDeliveriesOfUser(
        list: String, eventPrefix: some RedisArgumentConvertible, first: some RedisArgumentConvertible,
        last: some RedisArgumentConvertible, text: some RedisArgumentConvertible
    ) -> ScriptCall<FindDeliveriesOfUserReply> {
        ScriptCall(
            findDeliveriesOfUserScript, [list], [eventPrefix, first, last, text], read: FindDeliveriesOfUserReply.read)
    }

    struct FindEventsOfUserReply {
        let last: String
        let count: Int
        let size: Int
        let places: [String]
        let events: [[RedisField]]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 5,
                let last = ScriptReply.text(parts[0]),
                let count = ScriptReply.int(parts[1]),
                let size = ScriptReply.int(parts[2]),
                let places = ScriptReply.array(ScriptReply.text)(parts[3]),
                let events = ScriptReply.array(ScriptReply.fields)(parts[4])
            else { return nil }
            return Self(last: last, count: count, size: size, places: places, events: events)
        }
    }

    static let findEventsOfUserScript = RedisScript(
        name: "find-events-of-user", source: String(cString: store_script_find_events_of_user()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Finds the entries with a text among the next entries of a stream.
    static func findEventsOfUser(
        eventStream: String, after: some RedisArgumentConvertible, count: some RedisArgumentConvertible,
        text: some RedisArgumentConvertible
    ) -> ScriptCall<FindEventsOfUserReply> {
        ScriptCall(findEventsOfUserScript, [eventStream], [after, count, text], read: FindEventsOfUserReply.read)
    }

    static let findUnpublishedPagesScript = RedisScript(
        name: "find-unpublished-pages", source: String(cString: store_script_find_unpublished_pages()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1)))

    /// Reads outbox entries of a partition.
    static func findUnpublishedPages(
        untold: String, most: some RedisArgumentConvertible
    ) -> ScriptCall<[RedisField]> {
        ScriptCall(findUnpublishedPagesScript, [untold], [most], read: ScriptReply.fields)
    }

    static let forgetDeliveryScript = RedisScript(
        name: "forget-delivery", source: String(cString: store_script_forget_delivery()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Removes an event from a webhook, or replaces its data.
    static func forgetDelivery(
        webhook: String, eventPrefix: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        data: some RedisArgumentConvertible, remembered: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(forgetDeliveryScript, [webhook], [eventPrefix, id, data, remembered], read: ScriptReply.flag)
    }

    struct LeaseDeliveriesReply {
        let hasWebhooks: Bool
        let pause: Int?
        let due: [String]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 1,
                let hasWebhooks = ScriptReply.flag(parts[0]),
                let pause = ScriptReply.last(parts, 1, ScriptReply.int),
                let due = ScriptReply.array(ScriptReply.text)(.array(Array(parts[2...])))
            else { return nil }
            return Self(hasWebhooks: hasWebhooks, pause: pause, due: due)
        }
    }

    static let leaseDeliveriesScript = RedisScript(
        name: "lease-deliveries", source: String(cString: store_script_lease_deliveries()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 6)))

    /// Finds the webhooks of a tenant with due work, and acquires or renews the gateway's lease on deliveries.
    static func leaseDeliveries(
        settings: String, lease: String, gateway: some RedisArgumentConvertible,
        lifetime: some RedisArgumentConvertible, webhookPrefix: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, givenUpBefore: some RedisArgumentConvertible,
        forgottenBefore: some RedisArgumentConvertible
    ) -> ScriptCall<LeaseDeliveriesReply?> {
        ScriptCall(
            leaseDeliveriesScript, [settings, lease],
            [gateway, lifetime, webhookPrefix, now, givenUpBefore, forgottenBefore],
            read: ScriptReply.optional(LeaseDeliveriesReply.read))
    }

    static let publishEventsScript = RedisScript(
        name: "publish-events", source: String(cString: store_script_publish_events()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 10, group: 4)))

    /// Records events in a stream and for each webhook that subscribes to them.
    static func publishEvents(
        settings: String, eventStream: String, deviceStream: String, eventPrefix: some RedisArgumentConvertible,
        webhookPrefix: some RedisArgumentConvertible, length: some RedisArgumentConvertible,
        mostWaiting: some RedisArgumentConvertible, mostDeadLetters: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, kept: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, only: some RedisArgumentConvertible, source: some RedisArgumentConvertible,
        events: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(
            publishEventsScript, [settings, eventStream, deviceStream],
            [eventPrefix, webhookPrefix, length, mostWaiting, mostDeadLetters, remembered, kept, now, only, source]
                + events, read: ScriptReply.int)
    }

    struct ReadEventsReply {
        let entry: String
        let event: [RedisField]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let entry = ScriptReply.text(parts[0]),
                let event = ScriptReply.fields(parts[1])
            else { return nil }
            return Self(entry: entry, event: event)
        }
    }

    static let readEventsScript = RedisScript(
        name: "read-events", source: String(cString: store_script_read_events()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2)))

    /// Reads the next events of a tenant from both streams in order.
    static func readEvents(
        eventStream: String, deviceStream: String, after: some RedisArgumentConvertible,
        count: some RedisArgumentConvertible
    ) -> ScriptCall<[ReadEventsReply]> {
        ScriptCall(
            readEventsScript, [eventStream, deviceStream], [after, count], read: ScriptReply.array(ReadEventsReply.read)
        )
    }

    static let replaceEventScript = RedisScript(
        name: "replace-event", source: String(cString: store_script_replace_event()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 5)))

    /// Removes an entry from a stream, and appends its replacement.
    static func replaceEvent(
        stream: String, eventStream: String, entry: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        type: some RedisArgumentConvertible, time: some RedisArgumentConvertible, data: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(replaceEventScript, [stream, eventStream], [entry, id, type, time, data], read: ScriptReply.flag)
    }

    static let resealWebhookScript = RedisScript(
        name: "reseal-webhook", source: String(cString: store_script_reseal_webhook()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 2)))

    /// Replaces the sealed form of a webhook's secrets, if they are still stored as the caller has read them.
    static func resealWebhook(
        webhook: String, secrets: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(resealWebhookScript, [webhook], secrets, read: ScriptReply.flag)
    }

    static let resendDeadLettersScript = RedisScript(
        name: "resend-dead-letters", source: String(cString: store_script_resend_dead_letters()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 3, group: 1)))

    /// Queues dead letters for delivery as new events.
    static func resendDeadLetters(
        webhook: String, queue: String, arrivals: String, tries: String, deadLetters: String, settings: String,
        now: some RedisArgumentConvertible, limit: some RedisArgumentConvertible,
        mostWaiting: some RedisArgumentConvertible, ids: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(
            resendDeadLettersScript, [webhook, queue, arrivals, tries, deadLetters, settings],
            [now, limit, mostWaiting] + ids, read: ScriptReply.int)
    }

    static let rotateWebhookScript = RedisScript(
        name: "rotate-webhook", source: String(cString: store_script_rotate_webhook()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 5)))

    /// Gives a webhook a new secret.
    static func rotateWebhook(
        webhook: String, secret: some RedisArgumentConvertible, oldUntil: some RedisArgumentConvertible,
        rotation: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        mostOlder: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            rotateWebhookScript, [webhook], [secret, oldUntil, rotation, now, mostOlder], read: ScriptReply.flag)
    }

    static let settleDeliveryScript = RedisScript(
        name: "settle-delivery", source: String(cString: store_script_settle_delivery()),
        arity: RedisScriptArity(keys: .init(required: 7), arguments: .init(required: 13)))

    /// Records the outcome of a delivery attempt.
    static func settleDelivery(
        webhook: String, queue: String, arrivals: String, tries: String, deadLetters: String, settings: String,
        attempts: String, webhookID: some RedisArgumentConvertible, eventPrefix: some RedisArgumentConvertible,
        id: some RedisArgumentConvertible, outcome: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        againAt: some RedisArgumentConvertible, tried: some RedisArgumentConvertible,
        problem: some RedisArgumentConvertible, mostDeadLetters: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, attempt: some RedisArgumentConvertible,
        mostAttempts: some RedisArgumentConvertible, attemptsLifetime: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            settleDeliveryScript, [webhook, queue, arrivals, tries, deadLetters, settings, attempts],
            [
                webhookID, eventPrefix, id, outcome, now, againAt, tried, problem, mostDeadLetters, remembered, attempt,
                mostAttempts, attemptsLifetime,
            ], read: ScriptReply.flag)
    }

    static let switchStreamScript = RedisScript(
        name: "switch-stream", source: String(cString: store_script_switch_stream()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 1)))

    /// Switches the stream on or off.
    static func switchStream(
        settings: String, eventStream: String, on: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(switchStreamScript, [settings, eventStream], [on], read: ScriptReply.flag)
    }

    struct TakeDeliveriesReply {
        let webhook: [RedisField]
        let deliveries: [[[UInt8]]]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 1,
                let webhook = ScriptReply.fields(parts[0]),
                let deliveries = ScriptReply.array(ScriptReply.array(ScriptReply.bytes))(.array(Array(parts[1...])))
            else { return nil }
            return Self(webhook: webhook, deliveries: deliveries)
        }
    }

    static let takeDeliveriesScript = RedisScript(
        name: "take-deliveries", source: String(cString: store_script_take_deliveries()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 7, group: 1)))

    /// Reads due events of a webhook.
    static func takeDeliveries(
        webhook: String, queue: String, arrivals: String, tries: String, deadLetters: String, settings: String,
        eventPrefix: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        givenUpBefore: some RedisArgumentConvertible, forgottenBefore: some RedisArgumentConvertible,
        wanted: some RedisArgumentConvertible, mostDeadLetters: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, underWay: [any RedisArgumentConvertible]
    ) -> ScriptCall<TakeDeliveriesReply> {
        ScriptCall(
            takeDeliveriesScript, [webhook, queue, arrivals, tries, deadLetters, settings],
            [eventPrefix, now, givenUpBefore, forgottenBefore, wanted, mostDeadLetters, remembered] + underWay,
            read: TakeDeliveriesReply.read)
    }
}
