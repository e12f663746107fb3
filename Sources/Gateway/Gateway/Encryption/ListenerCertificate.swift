import NIOCore
import NIOSSL
import Reactor
import Secrets
import TLS
import TimeCore

/// A certificate and its key as read once, and the TLS context made from them.
struct ListenerCertificate: Sendable {
    let context: NIOSSLContext
    /// Seconds since 1970.
    let notAfter: Int64

    /// The reason why a pair is unusable, for operators.
    struct Unusable: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// The identity and state of both files.
    struct Stamps: Equatable, Sendable {
        let certificate: FileStamp?
        let key: FileStamp?

        init(_ options: ListenerTLSOptions) {
            certificate = FileStamp(of: options.certificateFile)
            key = FileStamp(of: options.keyFile)
        }
    }

    /// Cipher suites for TLS 1.2 with forward secrecy and authenticated encryption. All suites of TLS 1.3 have both.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// Reads each file once, so that the checked bytes are the used ones.
    init(_ options: ListenerTLSOptions, now: WallTime) throws(Unusable) {
        let text = try ListenerCertificate.read(options.certificateFile, key: "http.tls_certificate_file")
        let keyText = try ListenerCertificate.read(options.keyFile, key: "http.tls_key_file")
        let certificate: Certificate
        do throws(Certificate.Unusable) {
            certificate = try Certificate(pem: text)
        } catch {
            throw Unusable(description: "http.tls_certificate_file: \(options.certificateFile): \(error.reason)")
        }
        if let fault = certificate.fault(ofKey: keyText) {
            throw Unusable(description: "http.tls_key_file: \(options.keyFile): \(fault)")
        }
        guard certificate.notAfter > now.seconds else {
            throw Unusable(
                description:
                    "http.tls_certificate_file: \(options.certificateFile): the certificate has expired; renew it")
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(text)
            let privateKey = try NIOSSLPrivateKey(bytes: keyText, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
            configuration.minimumTLSVersion = .tlsv12
            configuration.cipherSuites = ListenerCertificate.suites
            configuration.applicationProtocols = ["http/1.1"]
            configuration.shutdownTimeout = .nanoseconds(Int64(clamping: options.closeTimeout.nanoseconds))
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw Unusable(
                description:
                    "http.tls_certificate_file: \(options.certificateFile): the certificate is unusable: \(error)")
        }
        notAfter = certificate.notAfter
    }

    private static func read(_ path: String, key: String) throws(Unusable) -> [UInt8] {
        do throws(PrivateKey.Unusable) {
            return try PrivateKeyFile.read(path)
        } catch {
            throw Unusable(description: "\(key): \(path): \(error.reason)")
        }
    }
}
