import COpenSSL

/// A generated X.509 certificate.
final class Certificate {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// Creates a self-signed root certificate.
    static func authority(name: String, key: PrivateKey) throws(MockError) -> Certificate {
        let certificate = try Certificate(name: name, key: key)
        try certificate.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: certificate)
        try certificate.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: certificate)
        try certificate.add(NID_subject_key_identifier, "hash", issuer: certificate)
        try certificate.sign(issuer: certificate, key: key)
        return certificate
    }

    /// Creates a server certificate for all loopback names of this machine.
    static func loopbackServer(
        key: PrivateKey, issuer: Certificate, issuerKey: PrivateKey
    ) throws(MockError) -> Certificate {
        let certificate = try Certificate(name: "localhost", key: key)
        try certificate.add(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        try certificate.add(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        try certificate.add(NID_ext_key_usage, "serverAuth", issuer: issuer)
        try certificate.add(NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1", issuer: issuer)
        try certificate.add(NID_authority_key_identifier, "keyid", issuer: issuer)
        try certificate.sign(issuer: issuer, key: issuerKey)
        return certificate
    }

    func pem() throws(MockError) -> [UInt8] {
        try PEM.text { PEM_write_bio_X509($0, pointer) == 1 }
    }

    private convenience init(name: String, key: PrivateKey) throws(MockError) {
        guard let pointer = X509_new() else { throw MockError("out of memory") }
        self.init(pointer)
        var serial: UInt64 = 0
        let isRandom = withUnsafeMutableBytes(of: &serial) {
            RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count)) == 1
        }
        // Valid from an hour ago, because clocks may differ, for ten years.
        guard isRandom, X509_set_version(pointer, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial >> 1 | 1) == 1,
            X509_gmtime_adj(X509_getm_notBefore(pointer), -3_600) != nil,
            X509_time_adj_ex(X509_getm_notAfter(pointer), 3_650, 0, nil) != nil,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), "CN", MBSTRING_UTF8, Array(name.utf8), Int32(name.utf8.count), -1, 0
            ) == 1,
            X509_set_pubkey(pointer, key.pointer) == 1
        else { throw MockError("cannot make a certificate") }
    }

    private func add(_ identifier: Int32, _ value: String, issuer: Certificate) throws(MockError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, pointer, nil, nil, 0)
        guard let part = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw MockError("cannot make the certificate's extension \(value)")
        }
        defer { X509_EXTENSION_free(part) }
        guard X509_add_ext(pointer, part, -1) == 1 else { throw MockError("cannot add to a certificate") }
    }

    private func sign(issuer: Certificate, key: PrivateKey) throws(MockError) {
        guard X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)) == 1,
            X509_sign(pointer, key.pointer, EVP_sha256()) > 0
        else { throw MockError("cannot sign a certificate") }
    }
}
