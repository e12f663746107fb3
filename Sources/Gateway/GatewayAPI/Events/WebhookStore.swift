import EventCore
import GatewayStore
import LiveActivity
import TimeCore

/// Stores a tenant's webhooks and their undelivered events.
protocol WebhookStore: Sendable {
    /// The current time.
    var wallClock: @Sendable () -> WallTime { get }

    func webhooks(of tenantID: String) async throws(StoreError) -> [Webhook]

    /// Nil if the tenant does not have this webhook.
    func webhook(_ id: String, of tenantID: String) async throws(StoreError) -> Webhook?

    /// Returns JSON objects, the newest first.
    func attempts(ofWebhook id: String, _ tenantID: String, limit: Int) async throws(StoreError) -> [[UInt8]]

    func counts(ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> WebhookCounts

    /// False if the tenant has the maximum number of webhooks.
    func addWebhook(
        _ id: String, url: String, filter: EventFilter, secret: [UInt8], tenantID: String
    ) async throws(StoreError) -> Bool

    /// Changes the values that are not nil. False if the tenant does not have this webhook.
    func changeWebhook(
        _ id: String, url: String?, filter: EventFilter?, isEnabled: Bool?, tenantID: String
    ) async throws(StoreError) -> Bool

    /// False if the tenant does not have this webhook.
    func deleteWebhook(_ id: String, tenantID: String) async throws(StoreError) -> Bool

    /// False if the tenant does not have this webhook.
    /// - Parameter rotation: The id of the change.
    func rotateWebhook(
        _ id: String, secret: [UInt8], oldUntil: WallTime, rotation: UniqueID, tenantID: String
    ) async throws(StoreError) -> Bool

    /// Returns the number of events that had not been published before.
    @discardableResult
    func publish(
        _ events: [RecordedEvent], tenantID: String, onlyTo webhook: String?
    ) async throws(StoreError) -> Int

    func deadLetters(
        ofWebhook id: String, _ tenantID: String, from offset: Int, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], next: Int?)

    /// Returns the number of events that are delivered again.
    /// - Parameter ids: Pass nil for all undelivered events.
    func resend(_ ids: [String]?, ofWebhook id: String, _ tenantID: String) async throws(StoreError) -> Int
}

extension StoredWebhooks: WebhookStore {}
