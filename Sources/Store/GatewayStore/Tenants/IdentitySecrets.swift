import Encodings
import Secrets

/// What identity secrets are sealed with in the store. What is sealed is the secret's SHA-256, which is all that
/// signing and verifying takes (see `Secret.generate`): in clear whoever reads the store could sign for every user.
///
/// As it is kept, it is hexadecimal: the first digits of the hash, by which people tell secrets apart, and what is
/// sealed. An earlier version kept the hash in clear, all of it.
public struct IdentitySecrets: Sendable {
    private let keys: SealingKeyRing

    /// So many digits of a secret's SHA-256 are in clear, of 64.
    static let clearDigits = 12
    private static let hashDigits = 64

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

    /// Whether it is kept as `keep` would do so now.
    func isUpToDate(_ kept: some StringProtocol, tenantID: String) -> Bool {
        IdentitySecrets.sealed(kept).map {
            keys.isSealedByPresent($0, context: IdentitySecrets.context(tenantID))
        } ?? false
    }

    /// The hash of one that an earlier version kept in clear.
    static func clearHash(_ kept: some StringProtocol) -> [UInt8]? {
        kept.utf8.count == hashDigits ? Hexadecimal.decode(kept.utf8) : nil
    }

    private static func sealed(_ kept: some StringProtocol) -> [UInt8]? {
        kept.utf8.count > hashDigits ? Hexadecimal.decode(kept.utf8.dropFirst(clearDigits)) : nil
    }

    private static func context(_ tenantID: String) -> [UInt8] { Array("\(tenantID)\nidentity".utf8) }
}
