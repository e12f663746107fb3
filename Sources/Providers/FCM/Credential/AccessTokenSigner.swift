import Encodings
import FCMCore
import PushClient
import Secrets

/// Signs requests for access tokens with one service account's key, and seals tokens for holders of the same key.
final class AccessTokenSigner {
    /// A shared token, with its lifetime in seconds since its issue.
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

    /// Returns the body of a request for an access token; nil if OpenSSL fails.
    func request(audience: String, issuedAt: UInt64) -> [UInt8]? {
        let claims = AccessTokenClaims(account, audience: audience, issuedAt: issuedAt)
        return key.sign(claims.signingInput).map { claims.requestBody(signature: $0) }
    }

    /// Returns the token in its shared form; nil if OpenSSL fails.
    /// - Parameter lifetime: Seconds since `issuedAt`.
    func seal(_ token: String, lifetime: UInt64, issuedAt: UInt64) -> [UInt8]? {
        sealingKey?.seal(Array("\(lifetime) \(token)".utf8), context: context(issuedAt))
    }

    /// Returns the token in a shared one; nil if it was sealed with another key or under another name.
    func open(_ sealed: [UInt8], issuedAt: UInt64) -> Opened? {
        guard let bytes = sealingKey?.open(sealed, context: context(issuedAt)),
            let text = String(validating: bytes, as: UTF8.self), let blank = text.firstIndex(of: " "),
            let lifetime = UInt64(text[..<blank])
        else { return nil }
        return Opened(token: String(text[text.index(after: blank)...]), lifetime: lifetime)
    }

    /// The context of a sealed token. It prevents a change of the issue time or of the account's name.
    private func context(_ issuedAt: UInt64) -> [UInt8] {
        Array("\(account.projectID):\(account.clientEmail):\(issuedAt)".utf8)
    }
}
