import GatewayAPI
import GatewayStore

/// Which key a gateway seals secrets with, for people.
public struct SealingKeyName: Equatable, Sendable {
    /// The key's file; nil when the gateway has no key.
    public let file: String?
    /// Whether it was named as the key of all gateways, rather than made where there was none.
    public let isConfigured: Bool

    public init(file: String?, isConfigured: Bool) {
        self.file = file
        self.isConfigured = isConfigured
    }

    /// A gateway without a key.
    public static let none = SealingKeyName(file: nil, isConfigured: false)
}

/// What a gateway's sealing key is worth: whether what is sealed in Redis opens with it.
struct SealingFindings: Equatable, Sendable {
    var identity = IdentitySealing()
    var webhooks = WebhookSealing()

    /// How much does not open.
    var unreadable: Int { identity.unreadable.count + webhooks.unreadable }

    /// Whether there is something to open and nothing does: it is another key than the one that sealed.
    var isForeign: Bool { unreadable > 0 && webhooks.readable == 0 && !identity.opens }

    /// A single secret that does not open is its tenant's misfortune. Where nothing does, this gateway is the one that
    /// has the wrong key, and others may do what it cannot; but none is taken out of service for a key that nobody has
    /// given it.
    func reason(_ key: SealingKeyName) -> ReadinessReason? {
        guard unreadable > 0 else { return nil }
        return ReadinessReason(
            "sealing_key", "\(text(key)). \(SealingFindings.remedy(key))", isBlocking: isForeign && key.isConfigured)
    }

    /// What is wrong, without names of tenants and files.
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
            : "Set events.sealing_key_file to the file that the other gateways and commands use"
    }
}
