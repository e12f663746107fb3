import COpenSSL

/// The validity period of a certificate, and a check of its key.
///
/// Immutable, and OpenSSL reads it from any thread.
public final class Certificate: @unchecked Sendable {
    /// The reason why a certificate is unusable, for an operator.
    public struct Unusable: Error, Equatable, Sendable {
        /// The error, as the end of a sentence about the file.
        public let reason: String
    }

    /// The beginning of its validity, in seconds since 1970.
    public let notBefore: Int64
    /// The end of its validity, in seconds since 1970.
    public let notAfter: Int64
    private let certificate: OpaquePointer

    /// Parses the first certificate of a PEM file, which is the server's own and precedes its chain.
    public init(pem text: [UInt8]) throws(Unusable) {
        guard let read = PEMText.certificate(text) else {
            throw Unusable(reason: "it has no certificate in PEM form, or a damaged one")
        }
        guard let notBefore = Certificate.seconds(X509_get0_notBefore(read)),
            let notAfter = Certificate.seconds(X509_get0_notAfter(read))
        else {
            X509_free(read)
            throw Unusable(reason: "the times of its certificate cannot be read")
        }
        certificate = read
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// True if a PEM file has certificates and all are readable.
    public static func areReadable(pem text: [UInt8]) -> Bool {
        let begins = String(decoding: text, as: UTF8.self).matches(of: /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/)
        return !begins.isEmpty && PEMText.certificates(text) == begins.count
    }

    deinit {
        X509_free(certificate)
    }

    /// Returns the reason why a PEM file's key does not match this certificate; nil if it does.
    public func fault(ofKey text: [UInt8]) -> String? {
        guard let key = PEMText.privateKey(text) else {
            return PEMText.isEncrypted(text)
                ? "its key is encrypted with a passphrase" : "the private key in it is damaged"
        }
        defer {
            EVP_PKEY_free(key)
            ERR_clear_error()
        }
        return X509_check_private_key(certificate, key) == 1 ? nil : "its key is not the certificate's"
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
