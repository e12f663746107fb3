import RedisClient

/// The number of webhooks by readability of their secrets.
public struct WebhookSealing: Equatable, Sendable {
    /// Webhooks with a present secret that opens. Former secrets do not count, because a present secret replaces them.
    public var readable = 0
    /// Webhooks with a present secret that does not open.
    public var unreadable = 0

    public init() {}
}

extension StoredWebhooks {
    /// Counts the webhooks with secrets that these keys open. Reads every webhook.
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

    /// Seals all webhooks' secrets with the present key if a former key sealed them. Receivers are not affected. A
    /// gateway without the present key can no longer sign deliveries.
    /// - Returns: The number of changed webhooks, and the number with a present secret that does not open.
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
                let call = Scripts.resealWebhook(webhook: Keys.webhook(tenantID, webhook.id), secrets: pairs)
                sealed += try await run(call) ? 1 : 0
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
