import LiveActivity
import MockKit

/// Checks requests for access tokens like Google's authorization server ("Using OAuth 2.0 for server to server
/// applications"). A request is a form with a JSON Web Token (RFC 7523). The service account signs it with RS256 (RFC
/// 7518, section 3.3).
struct TokenRequestCheck {
    let key: PrivateKey
    let keyID: String
    let clientEmail: String
    /// The URL of the token endpoint.
    var audience = ""

    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// The audience of Google's own libraries, which ignore the account file's `token_uri`.
    private static let googleAudience = "https://oauth2.googleapis.com/token"
    /// The assertion must request one of these scopes and may request more.
    private static let scopes: Set = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// The maximum length of a body, in bytes. Longer ones are rejected unread.
    static let maximumLength = 8_192
    /// The tolerated difference of the clocks, in seconds.
    private static let skew: Int64 = 300
    /// The maximum of `exp` minus `iat`, in seconds.
    private static let maximumLifetime: Int64 = 3_600

    /// - Parameter now: In seconds since 1970.
    func check(_ body: [UInt8], isForm: Bool, now: Int64) throws(TokenRefusal) {
        guard isForm, body.count <= Self.maximumLength, let form = FormFields(body) else {
            throw TokenRefusal(.invalidRequest, "the body must be a form of at most \(Self.maximumLength) bytes")
        }
        guard let grantType = form["grant_type"] else { throw TokenRefusal(.invalidRequest, "grant_type is missing") }
        guard grantType == Self.grantType else {
            throw TokenRefusal(.unsupportedGrantType, "grant_type is not \(Self.grantType)")
        }
        guard let assertion = form["assertion"] else { throw TokenRefusal(.invalidRequest, "assertion is missing") }
        guard let token = JSONWebToken(Array(assertion.utf8)[...]) else {
            throw TokenRefusal(.invalidGrant, "the assertion is no JSON Web Token")
        }
        try checkSignature(token)
        try checkClaims(token.claims, now)
    }

    private func checkSignature(_ token: JSONWebToken) throws(TokenRefusal) {
        guard let header = try? token.header.members(["alg", "kid", "typ"]), header[0]?.string == "RS256" else {
            throw TokenRefusal(.invalidGrant, "alg must be RS256")
        }
        guard header[1] == nil || header[1]?.string == keyID else {
            throw TokenRefusal(.invalidGrant, "the account has no key with this kid")
        }
        guard header[2] == nil || header[2]?.string == "JWT" else {
            throw TokenRefusal(.invalidGrant, "typ must be JWT")
        }
        guard key.verifies(token.signature, of: token.signedText) else {
            throw TokenRefusal(.invalidGrant, "the signature is not of the account's key")
        }
    }

    private func checkClaims(_ claims: JSONValue, _ now: Int64) throws(TokenRefusal) {
        guard let members = try? claims.members(["iss", "aud", "scope", "iat", "exp"]) else {
            throw TokenRefusal(.invalidGrant, "a claim appears twice")
        }
        guard members[0]?.string == clientEmail else {
            throw TokenRefusal(.invalidGrant, "iss is not the account's address")
        }
        guard let claimed = members[1]?.string, claimed == audience || claimed == Self.googleAudience else {
            throw TokenRefusal(.invalidGrant, "aud is not \(audience)")
        }
        let scopes = members[2]?.string?.split(separator: " ").map(String.init) ?? []
        guard !Self.scopes.isDisjoint(with: scopes) else {
            throw TokenRefusal(.invalidScope, "scope lacks that of messaging")
        }
        guard let issued = members[3]?.numericDate, let expiry = members[4]?.numericDate else {
            throw TokenRefusal(.invalidGrant, "iat and exp must be numbers")
        }
        guard issued <= now + Self.skew, expiry > now else {
            throw TokenRefusal(.invalidGrant, "iat lies ahead, or exp has passed")
        }
        guard expiry > issued, expiry - issued <= Self.maximumLifetime else {
            throw TokenRefusal(.invalidGrant, "exp must be at most \(Self.maximumLifetime) s after iat")
        }
    }
}
