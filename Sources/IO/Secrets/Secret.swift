import COpenSSL
import Encodings

/// Secrets that the gateway issues once and stores as hashes only. The hash of an identity secret is also sealed,
/// because it suffices for signing.
public enum Secret {
    /// The purpose of a secret, identified by its prefix.
    public enum Kind: String, Sendable {
        /// The API key of a marketing system.
        case apiKey = "ffk"
        /// The SDK key in apps.
        case sdkKey = "ffs"
        /// The secret that signs an insider_id. It prevents reports of tokens for another user.
        case identity = "ffi"
        /// The key with which an operator signs in at the console.
        case operatorKey = "ffo"
        /// The secret of a signed-in browser's session.
        case session = "ffc"
    }

    /// The kind of the secret's prefix; nil for a text that is not a Fanfare secret.
    public static func kind(of secret: String) -> Kind? {
        guard let end = secret.firstIndex(of: "_") else { return nil }
        return Kind(rawValue: String(secret[..<end]))
    }

    /// Generates a secret: the kind's prefix and 256 random bits, or 384 for an identity secret.
    ///
    /// An identity secret is deliberately longer than SHA-256's block of 64 bytes. HMAC then uses the hash of its key
    /// (RFC 2104, section 2), so the hash alone suffices to verify signatures.
    public static func generate(_ kind: Kind) -> String {
        var bytes = [UInt8](repeating: 0, count: kind == .identity ? 48 : 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
            // A failed generator must never lead to a guessable secret.
            preconditionFailure("the system's random number generator failed")
        }
        return "\(kind.rawValue)_\(Hexadecimal.encode(bytes))"
    }

    /// The stored hash of a secret, in hexadecimal.
    public static func hexHash(_ secret: String) -> String { Hexadecimal.encode(hash(secret)) }

    /// The stored hash of a secret.
    public static func hash(_ secret: String) -> [UInt8] {
        Digest.sha256(Array(secret.utf8))
    }
}
