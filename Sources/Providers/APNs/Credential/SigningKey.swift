import COpenSSL
import PushClient
import Secrets

/// A P-256 private key that signs with ES256 (RFC 7518, section 3.4).
final class SigningKey {
    private let key: PrivateKey
    private static let coordinateLength: Int32 = 32
    static let sealingLabel = "fanfare shared provider token v1"

    /// Reads a PEM file. Throws with a reason for an operator, without bytes of the file.
    init(file path: String) throws(PushConfigurationError) {
        do {
            key = try PrivateKey(file: path)
        } catch {
            throw .keyFile(path: path, reason: error.reason)
        }
        guard key.isP256 else {
            throw .keyFile(path: path, reason: "its key is not an elliptic-curve key on P-256")
        }
    }

    /// Returns the 64 bytes r and s over SHA-256 of `message`; nil if OpenSSL fails.
    func sign(_ message: some Collection<UInt8>) -> [UInt8]? {
        key.sign(Array(message)).flatMap(SigningKey.raw)
    }

    /// Derives a sealing key that only holders of this key have. Returns nil if OpenSSL fails.
    /// - Parameter label: The purpose of the key.
    func sealingKey(label: String = SigningKey.sealingLabel) -> SealingKey? { key.sealingKey(label: label) }

    /// Converts a DER signature to the two numbers of fixed length that JWS requires.
    private static func raw(_ encoded: [UInt8]) -> [UInt8]? {
        encoded.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &next, buffer.count) else { return nil }
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
}
