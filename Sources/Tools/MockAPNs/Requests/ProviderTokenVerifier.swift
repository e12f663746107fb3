import COpenSSL
import LiveActivity

/// What was found about the bytes of an authorization header; whether it is still young enough depends on the clock.
enum ProviderTokenVerdict: Equatable {
    case invalid
    /// Signed, and by the right team and key. When it was issued, in seconds since 1970.
    case issued(at: Int64)
}

/// Reads and verifies provider tokens ("Establishing a token-based connection to APNs"): a JSON Web Token (RFC 7519)
/// in compact form (RFC 7515), signed with ES256 (RFC 7518, section 3.4).
struct ProviderTokenVerifier {
    let key: PrivateKey
    let keyID: String
    let teamID: String

    /// Longer headers are refused unread, in bytes.
    static let maximumLength = 4_096

    func verdict(authorization: [UInt8]) -> ProviderTokenVerdict {
        let scheme = Array("bearer ".utf8)
        guard authorization.count <= Self.maximumLength, authorization.count > scheme.count,
            authorization.prefix(scheme.count).map({ $0 | 0x20 }).elementsEqual(scheme.map { $0 | 0x20 })
        else { return .invalid }
        let parts = authorization.dropFirst(scheme.count).split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decoded(parts[0]), let claims = Base64URL.decoded(parts[1]),
            let signature = Base64URL.decoded(parts[2]), isOurs(header),
            let issuedAt = issueTime(claims),
            isSigned(authorization[parts[0].startIndex..<parts[1].endIndex], signature)
        else { return .invalid }
        return .issued(at: issuedAt)
    }

    private func isOurs(_ header: [UInt8]) -> Bool {
        let members = try? JSONDocument(parsing: header).root.members(["alg", "kid"])
        guard let members else { return false }
        return members[0]?.string == "ES256" && members[1]?.string == keyID
    }

    private func issueTime(_ claims: [UInt8]) -> Int64? {
        let members = try? JSONDocument(parsing: claims).root.members(["iss", "iat"])
        guard let members, members[0]?.string == teamID else { return nil }
        return members[1]?.int64
    }

    /// The signature is the two numbers r and s, 32 bytes each; OpenSSL wants them in DER.
    private func isSigned(_ text: ArraySlice<UInt8>, _ signature: [UInt8]) -> Bool {
        guard signature.count == 64, let der = Self.derSignature(signature), let digest = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(digest)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(digest, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
        return text.withUnsafeBufferPointer { text in
            EVP_DigestVerify(digest, der, der.count, text.baseAddress, text.count) == 1
        }
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

/// Base 64 with the URL alphabet and no padding (RFC 4648, section 5).
enum Base64URL {
    /// Nil when a character is not of the alphabet or the length is impossible.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, text.count % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            guard let value = value(character) else { return nil }
            accumulator = accumulator << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: accumulator >> bits))
            }
        }
        return result
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
