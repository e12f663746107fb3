import Encodings
import Secrets

/// The secrets that sign deliveries. Signing needs their plain text, so they are stored sealed with a key that is not
/// in the store.
public struct WebhookSecrets: Sendable {
    private let key: SealingKeyRing

    /// The minimum length of a key file in bytes.
    public static let minimumKeyLength = 32
    private static let prefix = "whsec_"
    private static let length = 32

    /// Returns nil if a key is too short.
    /// - Parameters:
    ///   - keyMaterial: The content of the key file, equal on all gateways.
    ///   - former: The contents of the key files that it has replaced.
    public init?(keyMaterial: [UInt8], former: [[UInt8]] = []) {
        guard ([keyMaterial] + former).allSatisfy({ $0.count >= WebhookSecrets.minimumKeyLength }) else { return nil }
        key = SealingKeyRing(derivedFrom: keyMaterial, former: former, label: "fanfare webhook secrets")
    }

    /// Makes a random secret, as text for the receiver and sealed. Returns nil if OpenSSL fails.
    public func make(tenantID: String, webhook: String) -> (text: String, sealed: [UInt8])? {
        guard let bytes = RandomBytes.make(WebhookSecrets.length),
            let sealed = key.seal(bytes, context: WebhookSecrets.context(tenantID, webhook))
        else { return nil }
        return (WebhookSecrets.prefix + Base64.encode(bytes), sealed)
    }

    /// Opens a secret as text for the receiver. Returns nil if it does not open.
    public func text(of sealed: [UInt8], tenantID: String, webhook: String) -> String? {
        key.open(sealed, context: WebhookSecrets.context(tenantID, webhook)).map {
            WebhookSecrets.prefix + Base64.encode($0)
        }
    }

    /// Signs content with each secret. Returns the `v1` signatures in base64, or nil if any secret does not open.
    public func signatures(
        of content: [UInt8], by sealed: [[UInt8]], tenantID: String, webhook: String
    ) -> [String]? {
        let secrets = sealed.map { key.open($0, context: WebhookSecrets.context(tenantID, webhook)) }
        guard !secrets.contains(where: { $0 == nil }) else { return nil }
        return secrets.compactMap { $0 }.map { Base64.encode(Digest.hmacSHA256(key: $0, content)) }
    }

    /// Seals a secret with the present key. Returns nil if that key already seals it, or if it does not open.
    func sealedAnew(_ sealed: [UInt8], tenantID: String, webhook: String) -> [UInt8]? {
        let context = WebhookSecrets.context(tenantID, webhook)
        guard !key.isSealedByPresent(sealed, context: context) else { return nil }
        return key.open(sealed, context: context).flatMap { key.seal($0, context: context) }
    }

    /// True if the sealed secret opens.
    func opens(_ sealed: [UInt8], tenantID: String, webhook: String) -> Bool {
        key.open(sealed, context: WebhookSecrets.context(tenantID, webhook)) != nil
    }

    private static func context(_ tenantID: String, _ webhook: String) -> [UInt8] {
        Array("\(tenantID)\n\(webhook)".utf8)
    }
}
