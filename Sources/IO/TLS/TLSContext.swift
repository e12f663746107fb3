import COpenSSL

/// The shared settings of a side's sessions: trust or identity, protocol versions, ALPN. TLS 1.2 or later. Immutable
/// after its creation, so it may be used from any thread.
public final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool
    /// The protocols for ALPN, the preferred one first; empty to disable ALPN.
    let applicationProtocols: [[UInt8]]
    /// True if a session without ALPN fails.
    let requiresNegotiation: Bool

    /// The source of a client's trusted roots.
    public enum Trust: Equatable, Sendable {
        case system
        /// A PEM file whose certificates are the only roots.
        case file(String)
    }

    /// The PEM files of a certificate with its chain, and of its key.
    public struct Identity: Equatable, Hashable, Sendable {
        /// The certificate, followed by its chain.
        public var certificateChainFile: String
        /// The key, without a passphrase.
        public var privateKeyFile: String

        public init(certificateChainFile: String, privateKeyFile: String) {
            self.certificateChainFile = certificateChainFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// Creates a context for clients. The server's chain and host name are always verified.
    /// - Parameters:
    ///   - applicationProtocol: The protocol that ALPN offers, for example `h2`, and that the server must select. Nil
    ///     for a server without ALPN.
    ///   - identity: The certificate for a server that requests one.
    public static func client(
        trust: Trust, applicationProtocol: String?, identity: Identity? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(
            method: TLS_client_method(), isServer: false, [applicationProtocol].compactMap(\.self),
            applicationProtocol != nil)
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw TLSError.last("cannot load the system's trust store")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_locations(context.pointer, path, nil) == 1 else {
                throw TLSError.last("cannot load certificates from \(path)")
            }
        }
        if let identity { try context.use(identity) }
        guard let offered = context.applicationProtocols.first else { return context }
        let offer = [UInt8(truncatingIfNeeded: offered.count)] + offered
        guard SSL_CTX_set_alpn_protos(context.pointer, offer, UInt32(offer.count)) == 0 else {
            throw TLSError.last("cannot set the protocol to offer")
        }
        return context
    }

    /// Creates a context for servers, from PEM files. A client that offers only other protocols is refused (RFC 7301,
    /// section 3.2).
    /// - Parameters:
    ///   - alternative: The protocol of clients that do not offer `applicationProtocol`; nil for none.
    ///   - requiresNegotiation: True to refuse clients without ALPN. Otherwise they are assumed to use
    ///     `applicationProtocol`.
    public static func server(
        certificateChainFile: String, privateKeyFile: String, applicationProtocol: String,
        alternative: String? = nil, requiresNegotiation: Bool = true
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(
            method: TLS_server_method(), isServer: true, [applicationProtocol] + [alternative].compactMap(\.self),
            requiresNegotiation)
        try context.use(Identity(certificateChainFile: certificateChainFile, privateKeyFile: privateKeyFile))
        SSL_CTX_set_alpn_select_cb(
            context.pointer, TLSContext.selectProtocol, Unmanaged.passUnretained(context).toOpaque())
        return context
    }

    private init(
        method: OpaquePointer?, isServer: Bool, _ applicationProtocols: [String], _ requiresNegotiation: Bool
    ) throws(TLSError) {
        guard let pointer = SSL_CTX_new(method) else { throw TLSError.last("cannot make a TLS context") }
        self.pointer = pointer
        self.isServer = isServer
        self.applicationProtocols = applicationProtocols.map { Array($0.utf8) }
        self.requiresNegotiation = requiresNegotiation
        _ = fanfare_ssl_ctx_set_min_proto_version(pointer, TLS1_2_VERSION)
        // A batch may be written in parts, and its memory may have moved at the next attempt.
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        _ = fanfare_ssl_ctx_set_mode(pointer, Int(mode))
        // The default suites, the cheapest first, because encryption is a quarter of a push's cost.
        SSL_CTX_set_ciphersuites(
            pointer, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Loads a certificate and its key. Throws if they do not match.
    private func use(_ identity: Identity) throws(TLSError) {
        // Makes a key with a passphrase fail; otherwise OpenSSL would ask for it on the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
        guard SSL_CTX_use_certificate_chain_file(pointer, identity.certificateChainFile) == 1 else {
            throw TLSError.last("cannot load the certificate chain from \(identity.certificateChainFile)")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, identity.privateKeyFile, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError.last("cannot load the private key from \(identity.privateKeyFile)")
        }
    }

    private static let selectProtocol:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { _, chosen, chosenLength, offered, offeredLength, argument in
            guard let argument, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
            for wanted in Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue().applicationProtocols {
                var index = 0
                while index < list.count {
                    let length = Int(list[index])
                    let end = index + 1 + length
                    guard end <= list.count else { break }
                    if list[(index + 1)..<end].elementsEqual(wanted) {
                        chosen?.pointee = offered + index + 1
                        chosenLength?.pointee = UInt8(length)
                        return SSL_TLSEXT_ERR_OK
                    }
                    index = end
                }
            }
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
}
