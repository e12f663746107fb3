import COpenSSL
import LiveActivity
import MockKit

/// The verdict on an authorization header. The token's age is checked separately because it depends on the clock.
enum ProviderTokenVerdict: Equatable {
    case invalid
    /// A valid signature by a key of the right team. The issue time is in seconds since 1970.
    case issued(at: Int64, keyID: String)
}

/// Parses and verifies provider tokens ("Establishing a token-based connection to APNs"). They are JSON Web Tokens
/// (RFC 7519) in compact form (RFC 7515), signed with ES256 (RFC 7518, section 3.4).
struct ProviderTokenVerifier {
    /// The valid keys by identifier.
    let keys: [String: PrivateKey]
    let teamID: String

    /// The maximum length of a header, in bytes. Longer ones are rejected unread.
    static let maximumLength = 4_096

    func verdict(authorization: [UInt8]) -> ProviderTokenVerdict {
        let scheme = Array("bearer ".utf8)
        guard authorization.count <= Self.maximumLength, authorization.count > scheme.count,
            authorization.prefix(scheme.count).map({ $0 | 0x20 }).elementsEqual(scheme.map { $0 | 0x20 })
        else { return .invalid }
        guard let token = JSONWebToken(authorization.dropFirst(scheme.count)), let keyID = keyID(token.header),
            let key = keys[keyID], let issuedAt = issueTime(token.claims),
            isSigned(token.signedText, token.signature, key)
        else { return .invalid }
        return .issued(at: issuedAt, keyID: keyID)
    }

    private func keyID(_ header: JSONValue) -> String? {
        guard let members = try? header.members(["alg", "kid"]), members[0]?.string == "ES256" else { return nil }
        return members[1]?.string
    }

    private func issueTime(_ claims: JSONValue) -> Int64? {
        let members = try? claims.members(["iss", "iat"])
        guard let members, members[0]?.string == teamID else { return nil }
        return members[1]?.numericDate
    }

    /// Verifies a signature of r and s with 32 bytes each. OpenSSL requires them in DER.
    private func isSigned(_ text: ArraySlice<UInt8>, _ signature: [UInt8], _ key: PrivateKey) -> Bool {
        guard signature.count == 64, let der = Self.derSignature(signature) else { return false }
        return key.verifies(der, of: text)
    }

    private static func derSignature(_ raw: [UInt8]) -> [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let first = BN_bin2bn(raw, 32, nil)
        let second = raw.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress.map { $0 + 32 }, 32, nil) }
        guard let first, let second, ECDSA_SIG_set0(signature, first, second) == 1 else {
            BN_free(first)
            BN_free(second)
            return nil
        }
        let length = i2d_ECDSA_SIG(signature, nil)
        guard length > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(length))
        let written = der.withUnsafeMutableBufferPointer { buffer -> Int32 in
            var end = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &end)
        }
        return written == length ? der : nil
    }
}
