import COpenSSL

/// A private key that signs, held by OpenSSL. Its secret number leaves OpenSSL only for the moment in which another key
/// is derived from it.
///
/// Immutable, and OpenSSL uses it from any thread.
public final class PrivateKey: @unchecked Sendable {
    /// The reason why a key is unusable, for an operator. It contains nothing of the file.
    public struct Unusable: Error, Equatable, Sendable {
        /// The fault of the key or its file.
        public let reason: String
    }

    private let key: OpaquePointer

    /// RFC 7518, section 3.3.
    private static let leastRSABits = 2_048

    /// The length of the secret number of a key on P-256.
    private static let coordinateLength: Int32 = 32

    /// From the text of a PEM file: a PKCS#8 key (RFC 5958) that is not encrypted.
    public init(pem text: [UInt8]) throws(Unusable) {
        let content = String(decoding: text, as: UTF8.self)
        guard content.contains("-----BEGIN PRIVATE KEY-----") else {
            throw Unusable(
                reason: PEMText.isEncrypted(text)
                    ? "the key is encrypted with a passphrase" : "it has no PKCS#8 private key in PEM form")
        }
        guard let key = PEMText.privateKey(text) else { throw Unusable(reason: "the private key in it is damaged") }
        self.key = key
    }

    /// From a PEM file.
    public convenience init(file path: String) throws(Unusable) {
        try self.init(pem: PrivateKeyFile.read(path))
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// True for an elliptic-curve key on P-256.
    public var isP256: Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_is_a(key, "EC") == 1, EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else {
            return false
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } == "prime256v1"
    }

    /// The number of bits of an RSA key's modulus; nil for another kind of key.
    public var modulusBits: Int? { EVP_PKEY_is_a(key, "RSA") == 1 ? Int(EVP_PKEY_get_bits(key)) : nil }

    /// Throws unless it can sign with RS256 (RFC 7518, section 3.3).
    public func checkRS256() throws(Unusable) {
        guard let bits = modulusBits else { throw Unusable(reason: "its key is not an RSA key") }
        guard bits >= PrivateKey.leastRSABits else {
            throw Unusable(reason: "its RSA key has \(bits) bits, and 2,048 are required")
        }
    }

    /// The signature over SHA-256 of `message`: RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2) of an RSA key, and of an
    /// elliptic-curve key ECDSA in DER. Nil when OpenSSL fails.
    public func sign(_ message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var length = 0
        guard EVP_DigestSign(context, nil, &length, message, message.count) == 1, length > 0 else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    /// Derives a key that only holders of this private key can derive, for messages between them. The source is the
    /// secret number of a key on P-256, or an RSA key's private exponent, so the file's form has no effect. Returns nil
    /// for another kind of key, and if OpenSSL fails.
    /// - Parameter label: The purpose of the derived key.
    public func sealingKey(label: String) -> SealingKey? {
        let isRSA = modulusBits != nil
        guard isRSA || isP256 else { return nil }
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, isRSA ? "d" : "priv", &number) == 1, let number else { return nil }
        defer { BN_clear_free(number) }
        let length = isRSA ? EVP_PKEY_get_size(key) : PrivateKey.coordinateLength
        var bytes = [UInt8](repeating: 0, count: Int(length))
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        guard BN_bn2binpad(number, &bytes, length) == length else { return nil }
        return SealingKey(derivedFrom: bytes, label: label)
    }
}
