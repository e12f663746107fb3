import Encodings
import FCMCore
import PushClient
import Secrets

/// A service account's private key, which signs with RS256 (RFC 7518, section 3.3).
final class RSASigningKey {
    private let key: PrivateKey
    static let sealingLabel = "fanfare shared access token v1"

    /// - Parameter path: The service account's file, for errors. They never contain bytes of the key.
    init(of account: ServiceAccount, file path: String) throws(PushConfigurationError) {
        do {
            key = try PrivateKey(pem: Array(account.privateKey.utf8))
            try key.checkRS256()
        } catch {
            throw .keyFile(path: path, reason: "\"private_key\": \(error.reason)")
        }
    }

    /// Returns the signature; nil if OpenSSL fails.
    func sign(_ text: String) -> [UInt8]? { key.sign(Array(text.utf8)) }

    /// Derives a sealing key that only holders of this key have. Returns nil if OpenSSL fails.
    /// - Parameter label: The purpose of the key.
    func sealingKey(label: String = RSASigningKey.sealingLabel) -> SealingKey? { key.sealingKey(label: label) }
}
