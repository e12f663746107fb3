import GatewayAPI
import GatewayStore

/// The key with which a gateway seals secrets, in words for people.
public struct SealingKeyName: Equatable, Sendable {
    /// The key's file; nil when the gateway has no key.
    public let file: String?
    /// True if the configuration names the key; false if the gateway made the key or has none.
    public let isConfigured: Bool

    public init(file: String?, isConfigured: Bool) {
        self.file = file
        self.isConfigured = isConfigured
    }

    /// A gateway without a key.
    public static let none = SealingKeyName(file: nil, isConfigured: false)
}

/// The secrets in Redis that a gateway's sealing key does and does not open.
struct SealingFindings: Equatable, Sendable {
    var identity = IdentitySealing()
    var webhooks = WebhookSealing()

    /// The number of secrets that do not open.
    var unreadable: Int { identity.unreadable.count + webhooks.unreadable }

    /// True if there are secrets and none opens: another key sealed them.
    var isForeign: Bool { unreadable > 0 && webhooks.readable == 0 && !identity.opens }

    /// The readiness reason; nil if all secrets open. It blocks if a configured key opens no secret, because other
    /// gateways may have the right key. A gateway without a configured key stays in service.
    func reason(_ key: SealingKeyName) -> ReadinessReason? {
        guard unreadable > 0 else { return nil }
        return ReadinessReason(
            "sealing_key", "\(text(key)). \(SealingFindings.remedy(key))", isBlocking: isForeign && key.isConfigured)
    }

    /// A description of the findings, without names of tenants and files.
    func text(_ key: SealingKeyName) -> String {
        let opener = key.file == nil ? "this gateway has no sealing key" : "the sealing key of this gateway"
        let (users, hooks) = (identity.unreadable.count, webhooks.unreadable)
        let parts = [
            users == 0 ? nil : "the identity secrets of \(users) tenants (their signed reports get 503)",
            hooks == 0 ? nil : "the secrets of \(hooks) webhooks (their events wait)",
        ]
        let what = parts.compactMap { $0 }.joined(separator: " and ")
        guard key.file != nil else { return "\(what) cannot be decrypted: \(opener)" }
        return
            "\(what) cannot be decrypted with \(opener)\(isForeign ? ", which decrypts nothing: it is the wrong key" : "")"
    }

    static func remedy(_ key: SealingKeyName) -> String {
        key.isConfigured
            ? "Add the file that sealed them to events.sealing_key_file or events.former_sealing_key_files"
            : "With the private Redis, copy your saved webhooks.key into redis.data_dir; otherwise set events.sealing_key_file to the file that the other gateways and commands use"
    }
}
