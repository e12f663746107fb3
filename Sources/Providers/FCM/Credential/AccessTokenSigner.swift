import Encodings
import FCMCore
import PushClient
import Secrets

/// Asks for access tokens with one service account's key, and seals them for those who have the same one.
final class AccessTokenSigner {
    /// What is shared: a token, and how long it is good from its issue on.
    struct Opened {
        let token: String
        let lifetime: UInt64
    }

    let account: ServiceAccount
    private let key: RSASigningKey
    private let sealingKey: SealingKey?

    init(_ account: ServiceAccount, file path: String) throws(PushConfigurationError) {
        self.account = account
        key = try RSASigningKey(of: account, file: path)
        sealingKey = key.sealingKey()
    }

    /// The body of a request for an access token; nil when OpenSSL fails.
    func request(audience: String, issuedAt: UInt64) -> [UInt8]? {
        let claims = AccessTokenClaims(account, audience: audience, issuedAt: issuedAt)
        return key.sign(claims.signingInput).map { claims.requestBody(signature: $0) }
    }

    /// The token as it is shared; nil when OpenSSL fails.
    /// - Parameter lifetime: in seconds from `issuedAt` on.
    func seal(_ token: String, lifetime: UInt64, issuedAt: UInt64) -> [UInt8]? {
        sealingKey?.seal(Array("\(lifetime) \(token)".utf8), context: context(issuedAt))
    }

    /// The token that was sealed with the same key under the same name; nil when it was not.
    func open(_ sealed: [UInt8], issuedAt: UInt64) -> Opened? {
        guard let bytes = sealingKey?.open(sealed, context: context(issuedAt)),
            let text = String(validating: bytes, as: UTF8.self), let blank = text.firstIndex(of: " "),
            let lifetime = UInt64(text[..<blank])
        else { return nil }
        return Opened(token: String(text[text.index(after: blank)...]), lifetime: lifetime)
    }

    /// What a sealed token is good for: nobody can give it another age or another account's name.
    private func context(_ issuedAt: UInt64) -> [UInt8] {
        Array("\(account.projectID):\(account.clientEmail):\(issuedAt)".utf8)
    }
}
