import COpenSSL

/// A P-256 key with its private part. Immutable, so it may be used from any thread.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    static func generate() throws(MockAPNsError) -> PrivateKey {
        guard let pointer = fanfare_evp_ec_gen_p256() else { throw MockAPNsError("cannot make a P-256 key") }
        return PrivateKey(pointer)
    }

    /// Reads a PEM file, in any form that OpenSSL knows. Encrypted keys are refused.
    static func read(_ path: String) throws(MockAPNsError) -> PrivateKey {
        var content = try File.read(path)
        defer { OPENSSL_cleanse(&content, content.count) }
        guard let memory = content.withUnsafeBytes({ BIO_new_mem_buf($0.baseAddress, Int32(clamping: $0.count)) })
        else { throw MockAPNsError("cannot read the key in \(path)") }
        defer { BIO_free(memory) }
        // Without a callback OpenSSL would ask for a passphrase at the terminal.
        let noPassphrase:
            @convention(c) (
                UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
            ) -> Int32 = { _, _, _, _ in -1 }
        guard let pointer = PEM_read_bio_PrivateKey(memory, nil, noPassphrase, nil) else {
            ERR_clear_error()
            throw MockAPNsError("\(path) holds no private key in PEM form")
        }
        let key = PrivateKey(pointer)
        guard EVP_PKEY_get_bits(pointer) == 256, EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC else {
            throw MockAPNsError("the key in \(path) is not one on the curve P-256")
        }
        return key
    }

    /// PKCS#8 in PEM, as Apple hands out provider keys.
    func pem() throws(MockAPNsError) -> [UInt8] {
        try PEM.text { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
    }
}

/// Text that OpenSSL writes.
enum PEM {
    static func text(_ write: (OpaquePointer) -> Bool) throws(MockAPNsError) -> [UInt8] {
        guard let memory = BIO_new(BIO_s_mem()) else { throw MockAPNsError("out of memory") }
        defer { BIO_free(memory) }
        guard write(memory) else {
            ERR_clear_error()
            throw MockAPNsError("cannot write PEM")
        }
        var data: UnsafeMutablePointer<CChar>?
        let length = fanfare_bio_get_mem_data(memory, &data)
        guard length > 0, let data else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: length))
    }
}
