import Encodings
import LiveActivity

/// The claims of a request for an access token (RFC 7523; Google: "Using OAuth 2.0 for Server to Server Applications"),
/// signed with RS256.
public struct AccessTokenClaims: Hashable, Sendable {
    private let account: ServiceAccount
    private let audience: String
    private let issuedAt: UInt64

    /// The only requested scope.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The maximum that Google accepts, in seconds.
    static let lifetime: Int64 = 3_600

    /// - Parameters:
    ///   - audience: The URL of the request; nil for the account's own.
    ///   - issuedAt: Seconds since 1970.
    public init(_ account: ServiceAccount, audience: String? = nil, issuedAt: UInt64) {
        self.account = account
        self.audience = audience ?? account.tokenURI
        self.issuedAt = issuedAt
    }

    /// The text to sign: header and claims in base64url, with a dot between.
    public var signingInput: String {
        let header = JSONWriter.object {
            $0.field("alg", "RS256")
            $0.field("typ", "JWT")
            $0.field("kid", account.privateKeyID)
        }
        let begin = Int64(clamping: min(issuedAt, 1 << 40))
        let claims = JSONWriter.object {
            $0.field("iss", account.clientEmail)
            $0.field("scope", Self.scope)
            $0.field("aud", audience)
            $0.field("iat", begin)
            $0.field("exp", begin + Self.lifetime)
        }
        return "\(Base64.urlEncode(header)).\(Base64.urlEncode(claims))"
    }

    /// The body of the request, a form (`application/x-www-form-urlencoded`).
    /// - Parameter signature: The signature over `signingInput`.
    public func requestBody(signature: [UInt8]) -> [UInt8] {
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        return Array("grant_type=\(grant)&assertion=\(signingInput).\(Base64.urlEncode(signature))".utf8)
    }
}
