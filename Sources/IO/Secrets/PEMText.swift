import COpenSSL

/// PEM text, parsed by OpenSSL.
enum PEMText {
    /// Returns the first certificate; nil if none is readable. The caller frees it.
    static func certificate(_ text: [UInt8]) -> OpaquePointer? {
        read(text) { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// The number of certificates up to the first unreadable one.
    static func certificates(_ text: [UInt8]) -> Int {
        var count = 0
        _ = read(text) { buffer in
            while let certificate = PEM_read_bio_X509(buffer, nil, { _, _, _, _ in -1 }, nil) {
                X509_free(certificate)
                count += 1
            }
            return nil
        }
        return count
    }

    /// Returns the private key; nil if none is readable without a passphrase. The caller frees it.
    static func privateKey(_ text: [UInt8]) -> OpaquePointer? {
        // Without this callback OpenSSL would ask for a passphrase on the terminal.
        read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// True if a private key in the text is encrypted with a passphrase. Its form is PKCS#8 (RFC 5958), or the older
    /// one of RFC 1421 with the header `Proc-Type: 4,ENCRYPTED`.
    static func isEncrypted(_ text: [UInt8]) -> Bool {
        let content = String(decoding: text, as: UTF8.self)
        return content.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || content.contains("Proc-Type: 4,ENCRYPTED")
    }

    private static func read(_ text: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        // The buffer refers to the text, so this must outlive it.
        return text.withUnsafeBytes { text in
            guard let buffer = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { return nil }
            defer { BIO_free(buffer) }
            return body(buffer)
        }
    }
}
