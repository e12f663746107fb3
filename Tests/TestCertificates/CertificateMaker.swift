import COpenSSL
import Foundation

/// Certificates for a test, in a directory that is removed with this object.
public final class CertificateMaker: Sendable {
    public let directory: String

    public init() throws {
        directory = "/tmp/fanfare-tls-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A key with its certificate, and their files.
    public struct Identity {
        let key: OpaquePointer
        let certificate: OpaquePointer
        public let certificateFile: String
        public let keyFile: String
    }

    /// - Parameters:
    ///   - names: Subject alternative names in OpenSSL's spelling: `DNS:localhost`, `IP:127.0.0.1`.
    ///   - issuer: The signer; nil for a root.
    ///   - days: The validity from now, in days; negative for an expired certificate.
    public func make(
        _ label: String, names: String? = nil, issuer: Identity? = nil, days: Int = 2
    ) throws -> Identity {
        let key = try has(fanfare_evp_ec_gen_p256())
        let certificate = try has(X509_new())
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...1_000_000))
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400 * 3)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", 0x1001, label, -1, -1, 0)
        X509_set_pubkey(certificate, key)
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate))
        add("basicConstraints", issuer == nil ? "critical,CA:TRUE" : "CA:FALSE", to: certificate)
        if let names { add("subjectAltName", names, to: certificate) }
        try holds(X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0)
        let identity = Identity(
            key: key, certificate: certificate, certificateFile: "\(directory)/\(label).pem",
            keyFile: "\(directory)/\(label)-key.pem")
        try write(identity.certificateFile) { PEM_write_bio_X509($0, certificate) }
        try write(identity.keyFile) { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        try holds(chmod(identity.keyFile, 0o600) == 0)
        return identity
    }

    /// Returns the text of a PEM file of PKCS#8 with a new RSA key.
    public func makeRSAKey(bits: UInt32 = 2048) throws -> String {
        let key = try has(fanfare_evp_rsa_gen(bits))
        defer { EVP_PKEY_free(key) }
        let file = "\(directory)/rsa-key.pem"
        try write(file) { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private func add(_ name: String, _ value: String, to certificate: OpaquePointer) {
        guard let fields = X509V3_EXT_conf(nil, nil, name, value) else { return }
        X509_add_ext(certificate, fields, -1)
        X509_EXTENSION_free(fields)
    }

    private func write(_ path: String, _ body: (OpaquePointer?) -> Int32) throws {
        let file = try has(BIO_new_file(path, "w"))
        defer { BIO_free(file) }
        try holds(body(file) == 1)
    }

    private struct Failure: Error {}

    private func has(_ made: OpaquePointer?) throws -> OpaquePointer {
        guard let made else { throw Failure() }
        return made
    }

    private func holds(_ condition: Bool) throws {
        if !condition { throw Failure() }
    }
}
