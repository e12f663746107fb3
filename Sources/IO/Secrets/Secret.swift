import COpenSSL
import Encodings

/// Secrets that the gateway hands out once, and keeps as hashes only; the hash of an identity secret is sealed besides,
/// because it is all that signing takes.
public enum Secret {
    /// What a secret is for; its prefix tells.
    public enum Kind: String, Sendable {
        /// A marketing system's key.
        case apiKey = "ffk"
        /// The key that apps carry.
        case sdkKey = "ffs"
        /// What signs an insider_id, so that nobody reports tokens for someone else.
        case identity = "ffi"
        /// What an operator signs in with at the console.
        case operatorKey = "ffo"
        /// What a browser is given that has signed in.
        case session = "ffc"
    }

    /// The kind that the secret's prefix names; nil for a text that is no secret of Fanfare's.
    public static func kind(of secret: String) -> Kind? {
        guard let end = secret.firstIndex(of: "_") else { return nil }
        return Kind(rawValue: String(secret[..<end]))
    }

    /// A new secret: the kind's prefix and 256 random bits, or 384 for an identity secret.
    ///
    /// An identity secret is longer than SHA-256's block of 64 bytes on purpose: HMAC then uses the hash of its key
    /// (RFC 2104, section 2), so that signatures can be verified with the hash alone.
    public static func generate(_ kind: Kind) -> String {
        var bytes = [UInt8](repeating: 0, count: kind == .identity ? 48 : 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
            // A generator that cannot be seeded must never hand out a guessable secret.
            preconditionFailure("the system's random number generator failed")
        }
        return "\(kind.rawValue)_\(Hexadecimal.encode(bytes))"
    }

    /// What is stored of a secret, in hexadecimal.
    public static func hexHash(_ secret: String) -> String { Hexadecimal.encode(hash(secret)) }

    /// What is stored of a secret.
    public static func hash(_ secret: String) -> [UInt8] {
        Digest.sha256(Array(secret.utf8))
    }
}
