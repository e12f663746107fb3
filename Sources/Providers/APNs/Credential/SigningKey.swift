import COpenSSL
import Glibc
import PushClient
import Secrets

/// A P-256 private key that signs with ES256 (RFC 7518, section 3.4). The key leaves OpenSSL only for the moment in
/// which another one is derived from it.
final class SigningKey {
    private let key: OpaquePointer
    private static let coordinateLength: Int32 = 32
    static let sealingLabel = "fanfare shared provider token v1"
    private static let fileLimit = 65_536

    /// Reads a PEM file. Throws with a reason that an operator understands; it never holds bytes of the file.
    init(file path: String) throws(PushConfigurationError) {
        let text: [UInt8]
        switch SigningKey.read(path) {
        case .success(let bytes): text = bytes
        case .failure(let reason): throw .keyFile(path: path, reason: reason.text)
        }
        let content = String(decoding: text, as: UTF8.self)
        guard content.contains("-----BEGIN PRIVATE KEY-----") else {
            let reason =
                content.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----")
                ? "the key is encrypted with a passphrase" : "it has no PKCS#8 private key in PEM form"
            throw .keyFile(path: path, reason: reason)
        }
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let buffer = BIO_new_mem_buf(text, Int32(text.count)) else {
            throw .keyFile(path: path, reason: "out of memory")
        }
        defer { BIO_free(buffer) }
        // Without a callback of ours OpenSSL would ask for a passphrase on the terminal.
        guard let key = PEM_read_bio_PrivateKey(buffer, nil, { _, _, _, _ in -1 }, nil) else {
            throw .keyFile(path: path, reason: "the private key in it is damaged")
        }
        guard SigningKey.isP256(key) else {
            EVP_PKEY_free(key)
            throw .keyFile(path: path, reason: "its key is not an elliptic-curve key on P-256")
        }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The 64 bytes r and s over SHA-256 of `message`; nil when OpenSSL fails.
    func sign(_ message: some Collection<UInt8>) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        let bytes = Array(message)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var length = 0
        guard EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1, length > 0 else { return nil }
        var encoded = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &encoded, &length, bytes, bytes.count) == 1 else { return nil }
        return SigningKey.raw(encoded, length)
    }

    /// A key that only those have who have this one, for what they tell each other. The same whichever file this one
    /// was read from. Nil when OpenSSL fails.
    /// - Parameter label: what it is for.
    func sealingKey(label: String = SigningKey.sealingLabel) -> SealingKey? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, "priv", &number) == 1, let number else { return nil }
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(SigningKey.coordinateLength))
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        guard BN_bn2binpad(number, &bytes, SigningKey.coordinateLength) == SigningKey.coordinateLength else {
            return nil
        }
        return SealingKey(derivedFrom: bytes, label: label)
    }

    /// A DER signature as the two numbers of fixed length that JWS wants.
    private static func raw(_ encoded: [UInt8], _ length: Int) -> [UInt8]? {
        encoded.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &next, length) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            let size = Int(coordinateLength)
            var raw = [UInt8](repeating: 0, count: 2 * size)
            let isWhole = raw.withUnsafeMutableBufferPointer { target in
                guard let base = target.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, coordinateLength) == coordinateLength
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + size, coordinateLength) == coordinateLength
            }
            return isWhole ? raw : nil
        }
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_is_a(key, "EC") == 1, EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else {
            return false
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } == "prime256v1"
    }

    private struct Unreadable: Error {
        let text: String
    }

    private static func read(_ path: String) -> Result<[UInt8], Unreadable> {
        guard let file = fopen(path, "re") else {
            return .failure(Unreadable(text: strerror(errno).map { String(cString: $0) } ?? "cannot be opened"))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: fileLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { return .failure(Unreadable(text: "it cannot be read")) }
        guard count > 0 else { return .failure(Unreadable(text: "it is empty")) }
        return .success(Array(bytes.prefix(count)))
    }
}
