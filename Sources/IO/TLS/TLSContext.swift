import COpenSSL

/// What all sessions of one side share: trust or identity, protocol versions, ALPN. TLS 1.2 or later, always.
/// Immutable once made, so it may be used from any thread.
public final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool
    /// The protocols that ALPN may agree on, the preferred one first; empty for no ALPN at all.
    let applicationProtocols: [[UInt8]]
    /// Whether a session without any ALPN ends in an error.
    let requiresNegotiation: Bool

    /// Where a client finds the roots it trusts.
    public enum Trust: Equatable, Sendable {
        case system
        /// A PEM file with one or more certificates, which are then the only roots.
        case file(String)
    }

    /// The PEM files of a certificate, with those that lead to its root, and of its key.
    public struct Identity: Equatable, Hashable, Sendable {
        /// The certificate comes first.
        public var certificateChainFile: String
        /// Without a passphrase.
        public var privateKeyFile: String

        public init(certificateChainFile: String, privateKeyFile: String) {
            self.certificateChainFile = certificateChainFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// A context for clients. The server's chain and host name are verified; that cannot be switched off.
    /// - Parameters:
    ///   - applicationProtocol: what ALPN offers, for example `h2`, and the server has to agree to; nil for a server
    ///     that knows nothing of ALPN.
    ///   - identity: shown to a server that asks for a client's certificate.
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

    /// A context for servers, from PEM files. A client that offers only other protocols is refused (RFC 7301, section
    /// 3.2).
    /// - Parameters:
    ///   - alternative: The protocol of clients that do not offer `applicationProtocol`; nil for none.
    ///   - requiresNegotiation: whether a client without ALPN is refused as well; otherwise it is taken to speak
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
        // A batch may be written in parts, and its bytes may have moved by the time of the next try.
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        _ = fanfare_ssl_ctx_set_mode(pointer, Int(mode))
        // The same suites as by default, the cheapest first: encryption is a quarter of what a push costs.
        SSL_CTX_set_ciphersuites(
            pointer, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// A key that is not the certificate's is refused.
    private func use(_ identity: Identity) throws(TLSError) {
        // A key with a passphrase fails; without this OpenSSL would ask for it at the terminal.
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
