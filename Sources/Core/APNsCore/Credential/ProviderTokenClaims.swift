import Encodings

/// The claims of a provider token (Apple: "Establishing a token-based connection to APNs"), signed with ES256.
public struct ProviderTokenClaims: Hashable, Sendable {
    /// `kid` in the header: the key's ten characters.
    public let keyIdentifier: String
    /// `iss`: the team's ten characters.
    public let teamIdentifier: String
    /// `iat`, in seconds since 1970.
    public let issuedAt: UInt64

    /// Returns nil unless `isIdentifier` holds for both identifiers.
    public init?(keyIdentifier: String, teamIdentifier: String, issuedAt: UInt64) {
        guard [keyIdentifier, teamIdentifier].allSatisfy(ProviderTokenClaims.isIdentifier) else { return nil }
        self.keyIdentifier = keyIdentifier
        self.teamIdentifier = teamIdentifier
        self.issuedAt = issuedAt
    }

    /// The text to sign: header and claims in base64url, with a dot between.
    public var signingInput: String {
        let header = #"{"alg":"ES256","kid":"\#(keyIdentifier)"}"#
        let claims = #"{"iss":"\#(teamIdentifier)","iat":\#(issuedAt)}"#
        return "\(Base64.urlEncode(header.utf8)).\(Base64.urlEncode(claims.utf8))"
    }

    /// True if the text is a valid identifier of a team or key: 1 to 64 ASCII letters and digits. Apple's have ten.
    public static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
    }
}
