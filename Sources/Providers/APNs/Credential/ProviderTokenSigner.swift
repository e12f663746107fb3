import APNsCore
import Delivery
import Encodings
import PushClient
import Secrets

/// Creates provider tokens with one key, and seals them for holders of the same key.
final class ProviderTokenSigner {
    let name: ProviderKeyName
    private let key: SigningKey
    private let sealingKey: SealingKey?

    init(_ credential: ProviderCredential) throws(PushConfigurationError) {
        guard ProviderTokenClaims.isIdentifier(credential.keyIdentifier) else {
            throw .identifier(name: "key identifier")
        }
        guard ProviderTokenClaims.isIdentifier(credential.teamIdentifier) else {
            throw .identifier(name: "team identifier")
        }
        name = ProviderKeyName(
            teamIdentifier: credential.teamIdentifier, keyIdentifier: credential.keyIdentifier)
        key = try SigningKey(file: credential.keyFile)
        sealingKey = key.sealingKey()
    }

    /// Returns a token; nil if OpenSSL fails.
    func sign(issuedAt: UInt64) -> String? {
        let claims = ProviderTokenClaims(
            keyIdentifier: name.keyIdentifier, teamIdentifier: name.teamIdentifier, issuedAt: issuedAt)
        guard let claims, let signature = key.sign(claims.signingInput.utf8) else { return nil }
        return "\(claims.signingInput).\(Base64.urlEncode(signature))"
    }

    /// Returns the token in its shared form; nil if OpenSSL fails.
    func seal(_ token: String, issuedAt: UInt64) -> [UInt8]? {
        sealingKey?.seal(Array(token.utf8), context: context(issuedAt))
    }

    /// Returns the token in a shared one; nil if it was sealed with another key or under another name.
    func open(_ shared: SharedProviderToken) -> String? {
        guard let bytes = sealingKey?.open(shared.sealed, context: context(shared.issuedAt)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The context of a sealed token. It prevents a change of the issue time or of the key's name.
    private func context(_ issuedAt: UInt64) -> [UInt8] {
        Array("\(name.teamIdentifier):\(name.keyIdentifier):\(issuedAt)".utf8)
    }
}
