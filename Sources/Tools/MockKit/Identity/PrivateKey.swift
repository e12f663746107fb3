import COpenSSL
import Encodings

/// A private key. Immutable, so any thread may use it.
package final class PrivateKey: @unchecked Sendable {
    package let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Generates a key on the curve P-256.
    package static func generateP256() throws(MockError) -> PrivateKey {
        guard let pointer = fanfare_evp_ec_gen_p256() else { throw MockError("cannot make a P-256 key") }
        return PrivateKey(pointer)
    }

    /// Generates an RSA key of 2,048 bits.
    package static func generateRSA() throws(MockError) -> PrivateKey {
        guard let pointer = fanfare_evp_rsa_gen(2_048) else { throw MockError("cannot make an RSA key") }
        return PrivateKey(pointer)
    }

    package var isP256: Bool { EVP_PKEY_get_bits(pointer) == 256 && EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC }
    package var isRSA: Bool { EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA }

    /// Reads a PEM file in any form that OpenSSL supports. Rejects encrypted keys.
    package static func read(_ path: String) throws(MockError) -> PrivateKey {
        var content = try File.read(path)
        defer { OPENSSL_cleanse(&content, content.count) }
        // Without a callback, OpenSSL prompts for a passphrase at the terminal.
        let noPassphrase:
            @convention(c) (
                UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
            ) -> Int32 = { _, _, _, _ in -1 }
        // OpenSSL's buffer points into the bytes.
        let pointer: OpaquePointer? = content.withUnsafeBytes { bytes in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            return PEM_read_bio_PrivateKey(memory, nil, noPassphrase, nil)
        }
        guard let pointer else {
            ERR_clear_error()
            throw MockError("\(path) has no private key in PEM form")
        }
        return PrivateKey(pointer)
    }

    /// Returns the key as PKCS#8 in PEM, the form in which providers issue keys.
    package func pem() throws(MockError) -> [UInt8] {
        try PEM.text { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
    }
}

/// Collects PEM output of OpenSSL.
package enum PEM {
    package static func text(_ write: (OpaquePointer) -> Bool) throws(MockError) -> [UInt8] {
        guard let memory = BIO_new(BIO_s_mem()) else { throw MockError("out of memory") }
        defer { BIO_free(memory) }
        guard write(memory) else {
            ERR_clear_error()
            throw MockError("cannot write PEM")
        }
        var data: UnsafeMutablePointer<CChar>?
        let length = fanfare_bio_get_mem_data(memory, &data)
        guard length > 0, let data else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: length))
    }
}

extension PrivateKey {
    /// True if the key made this signature over SHA-256. A P-256 signature is the DER form of r and s; an RSA signature
    /// is PKCS#1 version 1.5.
    package func verifies(_ signature: [UInt8], of text: ArraySlice<UInt8>) -> Bool {
        guard let digest = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(digest)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(digest, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
        return text.withUnsafeBufferPointer { text in
            EVP_DigestVerify(digest, signature, signature.count, text.baseAddress, text.count) == 1
        }
    }
}

extension PrivateKey {
    /// The first 40 hexadecimal digits of the SHA-256 of the public key. They identify the key.
    package func fingerprint() throws(MockError) -> String {
        let length = i2d_PUBKEY(pointer, nil)
        guard length > 0 else { throw MockError("cannot write a public key") }
        var text = [UInt8](repeating: 0, count: Int(length))
        text.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            _ = i2d_PUBKEY(pointer, &end)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(text, text.count, &digest)
        return Hexadecimal.encode(Array(digest.prefix(20)))
    }
}
