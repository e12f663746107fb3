import Encodings
import FCMCore
import PushClient
import Secrets

/// A service account's private key, which signs with RS256 (RFC 7518, section 3.3).
final class RSASigningKey {
    private let key: PrivateKey
    static let sealingLabel = "fanfare shared access token v1"

    /// - Parameter path: of the service account's file, for errors. They never hold bytes of the key.
    init(of account: ServiceAccount, file path: String) throws(PushConfigurationError) {
        do {
            key = try PrivateKey(pem: Array(account.privateKey.utf8))
            try key.checkRS256()
        } catch {
            throw .keyFile(path: path, reason: "\"private_key\": \(error.reason)")
        }
    }

    /// The signature; nil when OpenSSL fails.
    func sign(_ text: String) -> [UInt8]? { key.sign(Array(text.utf8)) }

    /// A key that only those have who have this one, for what they tell each other. Nil when OpenSSL fails.
    /// - Parameter label: what it is for.
    func sealingKey(label: String = RSASigningKey.sealingLabel) -> SealingKey? { key.sealingKey(label: label) }
}
