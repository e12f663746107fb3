import Encodings
import Secrets

/// The secrets that deliveries are signed with. Unlike other secrets the gateway must have them at hand, so they are
/// kept sealed under a key that is not in the store.
public struct WebhookSecrets: Sendable {
    private let key: SealingKeyRing

    /// The least that a key's file must hold, in bytes.
    public static let minimumKeyLength = 32
    private static let prefix = "whsec_"
    private static let length = 32

    /// Nil when a key is too short.
    /// - Parameters:
    ///   - keyMaterial: the bytes of the key's file; all gateways need the same.
    ///   - former: those of keys that it has replaced.
    public init?(keyMaterial: [UInt8], former: [[UInt8]] = []) {
        guard ([keyMaterial] + former).allSatisfy({ $0.count >= WebhookSecrets.minimumKeyLength }) else { return nil }
        key = SealingKeyRing(derivedFrom: keyMaterial, former: former, label: "fanfare webhook secrets")
    }

    /// A fresh secret as a receiver is given it, and sealed. Nil when OpenSSL fails.
    public func make(tenantID: String, webhook: String) -> (text: String, sealed: [UInt8])? {
        guard let bytes = RandomBytes.make(WebhookSecrets.length),
            let sealed = key.seal(bytes, context: WebhookSecrets.context(tenantID, webhook))
        else { return nil }
        return (WebhookSecrets.prefix + Base64.encode(bytes), sealed)
    }

    /// A sealed secret as its receiver was given it; nil when it does not open.
    public func text(of sealed: [UInt8], tenantID: String, webhook: String) -> String? {
        key.open(sealed, context: WebhookSecrets.context(tenantID, webhook)).map {
            WebhookSecrets.prefix + Base64.encode($0)
        }
    }

    /// `v1` signatures (base64) of some content by those of the sealed secrets that open; nil when one does not.
    public func signatures(
        of content: [UInt8], by sealed: [[UInt8]], tenantID: String, webhook: String
    ) -> [String]? {
        let secrets = sealed.map { key.open($0, context: WebhookSecrets.context(tenantID, webhook)) }
        guard !secrets.contains(where: { $0 == nil }) else { return nil }
        return secrets.compactMap { $0 }.map { Base64.encode(Digest.hmacSHA256(key: $0, content)) }
    }

    /// The sealed secret, sealed with the present key; nil when it is so already, or does not open.
    func sealedAnew(_ sealed: [UInt8], tenantID: String, webhook: String) -> [UInt8]? {
        let context = WebhookSecrets.context(tenantID, webhook)
        guard !key.isSealedByPresent(sealed, context: context) else { return nil }
        return key.open(sealed, context: context).flatMap { key.seal($0, context: context) }
    }

    /// Whether it opens.
    func opens(_ sealed: [UInt8], tenantID: String, webhook: String) -> Bool {
        key.open(sealed, context: WebhookSecrets.context(tenantID, webhook)) != nil
    }

    private static func context(_ tenantID: String, _ webhook: String) -> [UInt8] {
        Array("\(tenantID)\n\(webhook)".utf8)
    }
}
