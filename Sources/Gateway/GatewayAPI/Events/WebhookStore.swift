import EventCore
import GatewayStore
import LiveActivity
import TimeCore

/// Keeps a tenant's webhooks, and what could not be delivered to them.
protocol WebhookStore: Sendable {
    /// What is taken for now.
    var wallClock: @Sendable () -> WallTime { get }

    func webhooks(of tenantID: String) async throws(StoreError) -> [Webhook]

    /// Nil when the tenant has no such webhook.
    func webhook(_ id: String, of tenantID: String) async throws(StoreError) -> Webhook?

    /// Objects of JSON, the newest first.
    func attempts(ofWebhook id: String, _ tenantID: String, limit: Int) async throws(StoreError) -> [[UInt8]]

    func counts(ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> WebhookCounts

    /// False when the tenant has as many as there may be.
    func addWebhook(
        _ id: String, url: String, filter: EventFilter, secret: [UInt8], tenantID: String
    ) async throws(StoreError) -> Bool

    /// Changes what is not nil. False when the tenant has no such webhook.
    func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool

    /// False when the tenant has no such webhook.
    func deleteWebhook(_ id: String, tenantID: String) async throws(StoreError) -> Bool

    /// False when the tenant has no such webhook.
    /// - Parameter rotation: names the change.
    func rotateWebhook(
        _ id: String, secret: [UInt8], oldUntil: WallTime, rotation: UniqueID, tenantID: String
    ) async throws(StoreError) -> Bool

    /// Gives the number of events that had not been published before.
    @discardableResult
    func publish(
        _ events: [RecordedEvent], tenantID: String, onlyTo webhook: String?
    ) async throws(StoreError) -> Int

    func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?)

    /// Gives the number of events that are delivered again.
    /// - Parameter ids: nil for all that could not be delivered.
    func resend(_ ids: [String]?, ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> Int
}

extension StoredWebhooks: WebhookStore {}
