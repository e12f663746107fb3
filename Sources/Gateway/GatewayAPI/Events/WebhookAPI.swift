import EventCore
import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// A tenant's webhooks.
struct WebhookAPI: Sendable {
    let store: any WebhookStore
    let policy: WebhookPolicy

    /// The time for which a rotated secret remains valid beside the new one.
    static let overlap = TimeInterval.seconds(24 * 3600)

    func create(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        guard let url = try body.text("url") else { throw APIError.invalid("url", "the URL of the receiver") }
        try check(url)
        let filter = try body.eventFilter() ?? .all
        let id = request.broadcastID.description
        let secret = try makeSecret(id, request.tenantID)
        guard
            try await store.addWebhook(
                id, url: url, filter: filter, secret: secret.sealed, tenantID: request.tenantID)
        else { throw APIError(.tooManyWebhooks, "the tenant has the maximum number of webhooks; delete one first") }
        return try await created(id, request.tenantID, secret: secret.text)
    }

    /// The answer to a repetition of a request that created a webhook; nil if it did not.
    func created(_ request: CustomerRequest) async throws -> Reply? {
        let id = request.broadcastID.description
        guard let secret = try await secret(ofWebhook: id, request.tenantID) else { return nil }
        return try await created(id, request.tenantID, secret: secret)
    }

    private func created(_ id: String, _ tenantID: String, secret: String) async throws -> Reply {
        var reply = try await shown(id, tenantID, secret: secret)
        reply.status = .created
        reply.isSecret = true
        return reply
    }

    private func secret(ofWebhook id: String, _ tenantID: String) async throws -> String? {
        guard let webhook = try await store.webhook(id, of: tenantID) else { return nil }
        return policy.secrets?.text(of: webhook.secret, tenantID: tenantID, webhook: id)
    }

    func list(_ request: CustomerRequest) async throws -> Reply {
        let webhooks = try await store.webhooks(of: request.tenantID)
        return .success { writer in
            writer.array("webhooks") { array in
                for webhook in webhooks { array.object { $0.webhook(webhook, now: store.wallClock()) } }
            }
        }
    }

    func show(_ request: CustomerRequest) async throws -> Reply {
        try await shown(Self.id(request), request.tenantID)
    }

    /// - Parameter secret: The secret, which only this reply contains.
    private func shown(_ id: String?, _ tenantID: String, secret: String? = nil) async throws -> Reply {
        let webhook = try await known(id, tenantID)
        let counts = try await store.counts(ofWebhook: webhook.id, tenantID)
        return .success { writer in
            writer.webhook(webhook, now: store.wallClock())
            writer.field("pending", counts.pending)
            writer.field("dead_letters", counts.deadLetters)
            writer.field("secret", secret)
        }
    }

    func change(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let url = try body.optionalString("url")
        if let url { try check(url) }
        let filter = try body.eventFilter()
        let isEnabled = try body.optionalBool("enabled")
        guard url != nil || filter != nil || isEnabled != nil else {
            throw APIError(.validationFailed, "url, types or enabled is required")
        }
        guard let id = Self.id(request),
            try await store.changeWebhook(
                id, url: url, filter: filter, isEnabled: isEnabled, tenantID: request.tenantID)
        else { throw Self.unknown }
        return try await shown(id, request.tenantID)
    }

    func delete(_ request: CustomerRequest) async throws -> Reply {
        guard let id = Self.id(request), try await store.deleteWebhook(id, tenantID: request.tenantID) else {
            throw Self.unknown
        }
        return .success()
    }

    func rotateSecret(_ request: CustomerRequest) async throws -> Reply {
        let webhook = try await known(request)
        let secret = try makeSecret(webhook.id, request.tenantID)
        let until = store.wallClock() + WebhookAPI.overlap
        guard
            try await store.rotateWebhook(
                webhook.id, secret: secret.sealed, oldUntil: until, rotation: request.broadcastID,
                tenantID: request.tenantID)
        else { throw Self.unknown }
        return WebhookAPI.rotated(to: secret.text, until)
    }

    /// The answer to a repetition of a request that rotated the secret; nil if it did not, or another one followed.
    func rotated(_ request: CustomerRequest) async throws -> Reply? {
        let webhook = try await known(request)
        guard webhook.rotation == request.broadcastID, let until = webhook.oldSecretUntil,
            let secret = policy.secrets?.text(of: webhook.secret, tenantID: request.tenantID, webhook: webhook.id)
        else { return nil }
        return WebhookAPI.rotated(to: secret, until)
    }

    private static func rotated(to secret: String, _ until: WallTime) -> Reply {
        var reply = Reply.success {
            $0.field("secret", secret)
            $0.field("old_secret_until", until.rfc3339)
        }
        reply.isSecret = true
        return reply
    }

    /// Sends a test event without content.
    func test(_ request: CustomerRequest) async throws -> Reply {
        let webhook = try await known(request)
        guard webhook.isEnabled else {
            throw APIError(.webhookDisabled, "the webhook is disabled; enable it first")
        }
        let event = RecordedEvent(
            id: "evt_test_\(request.broadcastID)", type: .test, time: store.wallClock(),
            data: JSONWriter.object { $0.field("webhook_id", webhook.id) })
        try await store.publish([event], tenantID: request.tenantID, onlyTo: webhook.id)
        return .success(.accepted) { $0.field("event_id", event.id) }
    }

    func deadLetters(_ request: CustomerRequest) async throws -> Reply {
        let query = try DeadLetterQuery(request.query)
        let webhook = try await known(request)
        let page = try await store.deadLetters(
            ofWebhook: webhook.id, request.tenantID, from: query.offset, limit: query.limit)
        return .success { writer in
            writer.array("dead_letters") { array in
                for letter in page.letters {
                    array.object {
                        $0.field("id", letter.event.id)
                        $0.field("type", letter.event.type.rawValue)
                        $0.field("timestamp", letter.event.time.rfc3339)
                        $0.field("died_at", letter.diedAt.rfc3339)
                        $0.field("attempts", letter.attempts)
                        $0.field("last_error", letter.lastError)
                        $0.raw("data", letter.event.data)
                    }
                }
            }
            writer.field("cursor", page.next.map { String($0) })
        }
    }

    /// The attempts of the last day.
    func attempts(_ request: CustomerRequest) async throws -> Reply {
        let limit = try request.query.get("limit").map { text in
            guard let limit = Int(text), (1...WebhookAPI.mostAttempts).contains(limit) else {
                throw APIError.invalid("limit", "a number from 1 to \(WebhookAPI.mostAttempts)")
            }
            return limit
        }
        let webhook = try await known(request)
        let attempts = try await store.attempts(
            ofWebhook: webhook.id, request.tenantID, limit: limit ?? WebhookAPI.mostAttempts)
        return .success { writer in
            writer.array("attempts") { array in
                for attempt in attempts { array.raw(attempt) }
            }
        }
    }

    private static let mostAttempts = 200

    func resend(_ request: CustomerRequest, _ body: JSONValue) async throws -> Reply {
        let webhook = try await known(request)
        let all = try body.optionalBool("all") ?? false
        let ids = try body.optionalArray("ids")?.elements.map { element -> String in
            guard let text = element.string, (1...100).contains(text.utf8.count) else {
                throw APIError.invalid("ids", "an array of event ids")
            }
            return text
        }
        guard all != (ids != nil), ids.map({ (1...1000).contains($0.count) }) ?? true else {
            throw APIError(.validationFailed, "all or ids is required: all: true, or ids with 1 to 1000 event ids")
        }
        let count = try await store.resend(ids, ofWebhook: webhook.id, request.tenantID)
        return .success { $0.field("resent", count) }
    }

    // MARK: Parts

    static var unknown: APIError { APIError(.notFound, "the webhook does not exist") }

    private static func id(_ request: CustomerRequest) -> String? { request.id("webhook_id")?.description }

    private func known(_ request: CustomerRequest) async throws -> Webhook {
        try await known(Self.id(request), request.tenantID)
    }

    private func known(_ id: String?, _ tenantID: String) async throws -> Webhook {
        guard let id, let webhook = try await store.webhook(id, of: tenantID) else { throw Self.unknown }
        return webhook
    }

    private func check(_ url: String) throws {
        do {
            _ = try policy.url(url)
        } catch {
            throw APIError(.validationFailed, "url \(error.reason)")
        }
    }

    private func makeSecret(_ id: String, _ tenantID: String) throws -> (text: String, sealed: [UInt8]) {
        guard let secrets = policy.secrets else {
            throw APIError(
                .webhooksNotConfigured, "this gateway has no key for webhook secrets (events.sealing_key_file)")
        }
        guard let secret = secrets.make(tenantID: tenantID, webhook: id) else {
            throw APIError(.internalError, "the gateway could not create a secret; try again")
        }
        return secret
    }
}

/// The query of `GET /api/v1/webhooks/{id}/dead-letters`.
struct DeadLetterQuery {
    let offset: Int
    let limit: Int

    init(_ parameters: Parameters) throws {
        limit =
            try parameters.get("limit").map { text in
                guard let limit = Int(text), (1...StoredWebhooks.longestDeadLetterPage).contains(limit) else {
                    throw APIError.invalid("limit", "a number from 1 to \(StoredWebhooks.longestDeadLetterPage)")
                }
                return limit
            } ?? 100
        offset =
            try parameters.get("cursor").map { text in
                guard let offset = Int(text), (0...1_000_000).contains(offset) else {
                    throw APIError.invalid("cursor", "the cursor of an earlier reply of this endpoint")
                }
                return offset
            } ?? 0
    }
}

extension JSONValue {
    fileprivate func eventFilter() throws -> EventFilter? {
        guard let array = try optionalArray("types") else { return nil }
        let types = try array.elements.map { try EventType(named: $0.string ?? "") }
        guard (1...EventType.allCases.count).contains(types.count) else {
            throw APIError.invalid("types", "an array with at least one type; omit it for all types")
        }
        return .only(types)
    }
}

extension JSONObjectWriter {
    fileprivate mutating func webhook(_ webhook: Webhook, now: WallTime) {
        field("id", webhook.id)
        field("url", webhook.url)
        switch webhook.filter {
        case .all: field("types", EventType.subscribable.map(\.rawValue))
        case .only(let types): field("types", types.map(\.rawValue))
        }
        field("enabled", webhook.isEnabled)
        field("disabled_reason", webhook.disabledReason)
        field("created_at", webhook.createdAt.rfc3339)
        field("old_secret_until", webhook.oldSecretUntil.flatMap { $0 > now ? $0.rfc3339 : nil })
        field("delivered", webhook.delivered)
        field("failed_attempts", webhook.failed)
        field("failures_in_a_row", webhook.failures)
        field("dropped", webhook.dropped)
        field("last_delivery_at", webhook.lastDeliveryAt?.rfc3339)
        field("last_failure_at", webhook.lastFailureAt?.rfc3339)
        field("last_error", webhook.lastError)
    }
}
