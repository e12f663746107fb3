import RedisClient

/// How the secrets of webhooks in the store are sealed.
public struct WebhookSealing: Equatable, Sendable {
    /// Webhooks of which the present secret opens. One before it does not count: where its key is lost, only a new
    /// secret helps, and that is there.
    public var readable = 0
    /// Webhooks of which it does not.
    public var unreadable = 0

    public init() {}
}

extension StoredWebhooks {
    /// How many webhooks have secrets that open with these keys. Reads every webhook.
    public func sealing(with secrets: WebhookSecrets) async throws(StoreError) -> WebhookSealing {
        var sealing = WebhookSealing()
        for tenantID in try await tenantsWithWebhooks() {
            for webhook in try await webhooks(of: tenantID) {
                if secrets.opens(webhook.secret, tenantID: tenantID, webhook: webhook.id) {
                    sealing.readable += 1
                } else {
                    sealing.unreadable += 1
                }
            }
        }
        return sealing
    }

    /// Seals the secrets of all webhooks with the present key, those that a former one has sealed. Receivers notice
    /// nothing; a gateway without the present key signs no deliveries any more.
    /// - Returns: how many webhooks it was done for, and of how many the present secret does not open.
    public func sealSecrets(with secrets: WebhookSecrets) async throws(StoreError) -> (sealed: Int, unreadable: Int) {
        var (sealed, unreadable) = (0, 0)
        for tenantID in try await tenantsWithWebhooks() {
            for webhook in try await webhooks(of: tenantID) {
                guard secrets.opens(webhook.secret, tenantID: tenantID, webhook: webhook.id) else {
                    unreadable += 1
                    continue
                }
                let pairs = webhook.sealedSecrets.flatMap { old -> [[UInt8]] in
                    secrets.sealedAnew(old, tenantID: tenantID, webhook: webhook.id).map { [old, $0] } ?? []
                }
                guard !pairs.isEmpty else { continue }
                let reply = try await run(Scripts.resealWebhook, [Keys.webhook(tenantID, webhook.id)], pairs)
                sealed += reply.int == 1 ? 1 : 0
            }
        }
        return (sealed, unreadable)
    }
}

extension Webhook {
    fileprivate var sealedSecrets: [[UInt8]] {
        [secret] + (oldSecret.map { [$0] } ?? []) + olderSecrets.map(\.sealed)
    }
}
