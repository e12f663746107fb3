import Encodings
import Secrets

/// The keys that seal identity secrets in the store. They seal the secret's SHA-256, because signing and verifying need
/// no more (see `Secret.generate`). A reader of the store could sign for every user with an unsealed hash.
///
/// A kept secret is hexadecimal: the first digits of the hash, by which people distinguish secrets, and the sealed
/// hash.
public struct IdentitySecrets: Sendable {
    private let keys: SealingKeyRing

    /// The number of unsealed digits of a secret's SHA-256, of 64.
    static let clearDigits = 12

    /// Nil when a key is too short.
    /// - Parameters:
    ///   - keyMaterial: the bytes of the key's file; all gateways and commands need the same.
    ///   - former: those of keys that it has replaced.
    public init?(keyMaterial: [UInt8], former: [[UInt8]] = []) {
        guard ([keyMaterial] + former).allSatisfy({ $0.count >= WebhookSecrets.minimumKeyLength }) else { return nil }
        keys = SealingKeyRing(derivedFrom: keyMaterial, former: former, label: "fanfare identity secrets")
    }

    /// A secret's hash as it is kept; nil when OpenSSL fails.
    func keep(_ hash: [UInt8], tenantID: String) -> String? {
        guard let sealed = keys.seal(hash, context: IdentitySecrets.context(tenantID)) else { return nil }
        return Hexadecimal.encode(hash).prefix(IdentitySecrets.clearDigits) + Hexadecimal.encode(sealed)
    }

    /// The hash of a secret that is kept; nil when none of the keys opens it.
    func hash(of kept: some StringProtocol, tenantID: String) -> [UInt8]? {
        IdentitySecrets.sealed(kept).flatMap { keys.open($0, context: IdentitySecrets.context(tenantID)) }
    }

    /// True if the present key has sealed the kept secret.
    func isUpToDate(_ kept: some StringProtocol, tenantID: String) -> Bool {
        IdentitySecrets.sealed(kept).map {
            keys.isSealedByPresent($0, context: IdentitySecrets.context(tenantID))
        } ?? false
    }

    private static func sealed(_ kept: some StringProtocol) -> [UInt8]? {
        Hexadecimal.decode(kept.utf8.dropFirst(clearDigits))
    }

    private static func context(_ tenantID: String) -> [UInt8] { Array("\(tenantID)\nidentity".utf8) }
}
