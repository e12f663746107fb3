import COpenSSL

/// Encrypts and authenticates small secrets for storage that others can read and write: AES-256-GCM (NIST SP 800-38D),
/// by OpenSSL.
///
/// A sealed secret is a version byte, a random nonce of 12 bytes, the ciphertext and a tag of 16 bytes.
public struct SealingKey: Sendable, Equatable {
    private let key: [UInt8]
    private let digestKey: [UInt8]

    private static let version: UInt8 = 1
    private static let nonceLength = 12
    private static let tagLength = 16

    /// The size in bytes that sealing adds.
    public static let overhead = 1 + nonceLength + tagLength
    /// The maximum length of a secret, in bytes.
    public static let maximumLength = 65_536

    /// Derives a key from a secret of at least 128 bits with another purpose (HKDF). The same label yields the same
    /// key, and the key does not reveal the secret.
    public init(derivedFrom secret: [UInt8], label: String) {
        self.init(bytes: Digest.hkdfSHA256(secret: secret, salt: [], info: Array(label.utf8), length: 32))
    }

    /// Compares in constant time.
    public static func == (first: SealingKey, second: SealingKey) -> Bool {
        CRYPTO_memcmp(first.key, second.key, first.key.count) == 0
    }

    /// Creates a key from its 256 bits.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "AES-256 has keys of 32 bytes, not \(bytes.count)")
        key = bytes
        digestKey = Digest.hkdfSHA256(secret: bytes, salt: [], info: Array("digest v1".utf8), length: 32)
    }

    /// HMAC-SHA256 of a message under a key derived from this one for digests only, 32 bytes.
    public func digest(of message: [UInt8]) -> [UInt8] {
        Digest.hmacSHA256(key: digestKey, message)
    }

    /// Seals a secret. Returns nil if OpenSSL fails or the secret is too long.
    /// - Parameter context: The object that the secret belongs to. It is not stored; opening requires an equal one.
    public func seal(_ secret: [UInt8], context: [UInt8]) -> [UInt8]? {
        var nonce = [UInt8](repeating: 0, count: SealingKey.nonceLength)
        guard RAND_bytes(&nonce, Int32(nonce.count)) == 1 else { return nil }
        return seal(secret, context: context, nonce: nonce)
    }

    /// - Parameter nonce: 12 bytes that were never used with this key before.
    func seal(_ secret: [UInt8], context: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard secret.count <= SealingKey.maximumLength, context.count <= SealingKey.maximumLength,
            let cipher = EVP_CIPHER_CTX_new()
        else { return nil }
        defer {
            EVP_CIPHER_CTX_free(cipher)
            ERR_clear_error()
        }
        var length: Int32 = 0
        var ciphertext = [UInt8](repeating: 0, count: secret.count + SealingKey.tagLength)
        var tag = [UInt8](repeating: 0, count: SealingKey.tagLength)
        guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1,
            EVP_EncryptUpdate(cipher, &ciphertext, &length, secret, Int32(secret.count)) == 1,
            Int(length) == secret.count
        else { return nil }
        // GCM has no padding, so the final step adds no byte.
        var rest = [UInt8](repeating: 0, count: SealingKey.tagLength)
        guard EVP_EncryptFinal_ex(cipher, &rest, &length) == 1, length == 0,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, Int32(tag.count), &tag) == 1
        else { return nil }
        return [SealingKey.version] + nonce + ciphertext.prefix(secret.count) + tag
    }

    /// Returns the secret; nil for another key or context, or for altered bytes.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        let count = sealed.count - SealingKey.overhead
        guard (0...SealingKey.maximumLength).contains(count), context.count <= SealingKey.maximumLength,
            sealed[0] == SealingKey.version, let cipher = EVP_CIPHER_CTX_new()
        else { return nil }
        defer {
            EVP_CIPHER_CTX_free(cipher)
            ERR_clear_error()
        }
        let nonce = Array(sealed[1...SealingKey.nonceLength])
        let ciphertext = Array(sealed[(1 + SealingKey.nonceLength)...].prefix(count))
        var tag = Array(sealed.suffix(SealingKey.tagLength))
        var length: Int32 = 0
        var secret = [UInt8](repeating: 0, count: count + SealingKey.tagLength)
        guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1,
            EVP_DecryptUpdate(cipher, &secret, &length, ciphertext, Int32(count)) == 1, Int(length) == count,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, Int32(tag.count), &tag) == 1
        else { return nil }
        var rest = [UInt8](repeating: 0, count: SealingKey.tagLength)
        // This step authenticates the plaintext.
        guard EVP_DecryptFinal_ex(cipher, &rest, &length) == 1, length == 0 else { return nil }
        return Array(secret.prefix(count))
    }
}
