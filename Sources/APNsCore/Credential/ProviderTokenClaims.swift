/// What a provider token says (Apple: "Establishing a token-based connection to APNs"). Signed with ES256.
public struct ProviderTokenClaims: Hashable, Sendable {
    /// `kid` in the header: the key's ten characters.
    public let keyIdentifier: String
    /// `iss`: the team's ten characters.
    public let teamIdentifier: String
    /// `iat`, in seconds since 1970.
    public let issuedAt: UInt64

    /// Nil when an identifier is empty or has anything but ASCII letters and digits.
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
        return "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
    }

    public static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
    }
}

/// RFC 4648, section 5, without padding (as RFC 7515 wants it).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
