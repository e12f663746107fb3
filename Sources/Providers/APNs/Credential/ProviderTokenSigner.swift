import APNsCore
import Delivery
import Encodings
import PushClient
import Secrets

/// Makes provider tokens with one key, and seals them for those who have the same one.
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

    /// A token; nil when OpenSSL fails.
    func sign(issuedAt: UInt64) -> String? {
        let claims = ProviderTokenClaims(
            keyIdentifier: name.keyIdentifier, teamIdentifier: name.teamIdentifier, issuedAt: issuedAt)
        guard let claims, let signature = key.sign(claims.signingInput.utf8) else { return nil }
        return "\(claims.signingInput).\(Base64.urlEncode(signature))"
    }

    /// The token as it is shared; nil when OpenSSL fails.
    func seal(_ token: String, issuedAt: UInt64) -> [UInt8]? {
        sealingKey?.seal(Array(token.utf8), context: context(issuedAt))
    }

    /// The token that was sealed with the same key under the same name; nil when it was not.
    func open(_ shared: SharedProviderToken) -> String? {
        guard let bytes = sealingKey?.open(shared.sealed, context: context(shared.issuedAt)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// What a sealed token is good for: nobody can give it another age or another key's name.
    private func context(_ issuedAt: UInt64) -> [UInt8] {
        Array("\(name.teamIdentifier):\(name.keyIdentifier):\(issuedAt)".utf8)
    }
}
