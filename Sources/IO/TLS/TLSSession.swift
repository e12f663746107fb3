import COpenSSL
import Encodings
import FlatMemory

/// One TLS connection as bytes in, bytes out: OpenSSL on memory buffers, without a system call.
///
/// Owns nothing but the session; its driver moves ciphertext between `receive`/`takeOutput` and a socket.
/// Not thread-safe: it lives with its driver on one reactor.
public final class TLSSession {
    /// The stage of a session.
    public enum Progress: Equatable, Sendable {
        case handshaking
        case established
        /// The peer has closed its side in order (close_notify).
        case closed
        case failed(TLSError)
    }

    /// The present stage of the session.
    public private(set) var progress = Progress.handshaking

    private let session: OpaquePointer
    private let transport = MemoryTransport()
    private let context: TLSContext
    /// The certificate of the peer must have one of these names. Empty if OpenSSL checks a single name.
    private var acceptedNames: [String] = []

    /// A client's session. The server must present a certificate for `hostName` or for one of `orNames`. Names are DNS
    /// names, or IP addresses in numbers.
    public static func client(
        _ context: TLSContext, hostName: String, orNames: [String] = []
    ) throws(TLSError) -> TLSSession {
        let session = try TLSSession(context)
        SSL_set_connect_state(session.session)
        let names = [hostName] + orNames.filter { $0 != hostName }
        if names.count > 1 {
            // With several names, OpenSSL would require an address in addition to a name. So the names are checked
            // after the handshake.
            session.acceptedNames = names
            if let name = names.first(where: { IPAddress($0) == nil }) { try session.ask(for: name) }
        } else if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.session), hostName) != 1 {
            try session.ask(for: hostName)
            guard SSL_set1_host(session.session, hostName) == 1 else {
                throw TLSError.last("cannot verify a certificate for the host name \(hostName)")
            }
        }
        ERR_clear_error()
        return session
    }

    /// Names the host to the server, which may have several (RFC 6066, section 3).
    private func ask(for name: String) throws(TLSError) {
        guard fanfare_ssl_set_tlsext_host_name(session, name) == 1 else {
            throw TLSError.last("cannot ask for a certificate for the host name \(name)")
        }
    }

    /// A server's session, with the certificate of the context.
    public static func server(_ context: TLSContext) throws(TLSError) -> TLSSession {
        let session = try TLSSession(context)
        SSL_set_accept_state(session.session)
        return session
    }

    private init(_ context: TLSContext) throws(TLSError) {
        guard let session = SSL_new(context.pointer) else { throw TLSError.last("cannot make a TLS session") }
        guard let bio = transport.makeBIO() else {
            SSL_free(session)
            throw TLSError.last("cannot make a memory buffer")
        }
        SSL_set_bio(session, bio, bio)
        self.session = session
        self.context = context
    }

    deinit {
        SSL_free(session)
    }

    /// Takes the handshake as far as the bytes received allow. The first call of a client makes its first message.
    public func handshake() {
        guard progress == .handshaking else { return }
        ERR_clear_error()
        let status = SSL_do_handshake(session)
        if status == 1 {
            guard isForAcceptedName else {
                let names = acceptedNames.joined(separator: ", ")
                progress = .failed(
                    TLSError(
                        "the server's certificate is not trusted: it is for none of \(names)", distrust: .otherHost))
                return
            }
            // A peer that knows nothing of ALPN completes the handshake without having agreed to anything.
            let agreed = applicationProtocol.map { context.applicationProtocols.contains(Array($0.utf8)) }
            progress =
                agreed ?? !context.requiresNegotiation
                ? .established : .failed(TLSError("the peer does not speak the protocol offered through ALPN"))
            return
        }
        switch SSL_get_error(session, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: progress = .failed(handshakeError())
        }
    }

    /// Gives ciphertext from the peer to the session. Follow with `handshake` or `read`.
    public func receive(_ ciphertext: UnsafeRawBufferPointer) {
        guard let base = ciphertext.baseAddress, !ciphertext.isEmpty else { return }
        transport.incoming.append(base, count: ciphertext.count)
    }

    /// Decrypts into `buffer`; the number of bytes, 0 when more ciphertext is needed or `progress` has changed.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard progress == .established else { return 0 }
        ERR_clear_error()
        let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 { return Int(count) }
        switch SSL_get_error(session, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: progress = .closed
        default: progress = .failed(TLSError.last("the TLS session broke"))
        }
        return 0
    }

    /// Encrypts all of `plaintext` into the output. False when the session is not established or breaks.
    public func write(_ plaintext: UnsafeRawBufferPointer) -> Bool {
        guard progress == .established else { return false }
        var rest = plaintext
        while let base = rest.baseAddress, !rest.isEmpty {
            ERR_clear_error()
            let count = SSL_write(session, base, Int32(clamping: rest.count))
            guard count > 0 else {
                // The output is memory and never full, so there is nothing to wait for.
                progress = .failed(TLSError.last("cannot encrypt"))
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
        return true
    }

    /// Adds close_notify to the output.
    public func close() {
        guard progress == .established else { return }
        ERR_clear_error()
        SSL_shutdown(session)
    }

    /// The number of ciphertext bytes that wait to be sent.
    public var pendingOutput: Int { transport.outgoing.count }

    /// Hands the ciphertext that waits to `send`, which returns how many of its bytes it took; those are dropped.
    public func takeOutput(_ send: (UnsafeRawBufferPointer) -> Int) {
        guard transport.outgoing.count > 0 else { return }
        transport.outgoing.taken(send(transport.outgoing.bytes))
    }

    /// The protocol that ALPN agreed on, once established.
    public var applicationProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(session, &bytes, &length)
        guard let bytes, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }

    /// True if the certificate is for one of several names, or if OpenSSL has checked the only one.
    private var isForAcceptedName: Bool {
        guard !acceptedNames.isEmpty else { return true }
        guard let certificate = SSL_get0_peer_certificate(session) else { return false }
        return acceptedNames.contains { name in
            IPAddress(name) == nil
                ? X509_check_host(certificate, name, name.utf8.count, 0, nil) == 1
                : X509_check_ip_asc(certificate, name, 0) == 1
        }
    }

    private func handshakeError() -> TLSError {
        let verification = SSL_get_verify_result(session)
        let error = TLSError.last("the TLS handshake failed")
        guard !context.isServer, verification != X509_V_OK else { return error }
        let reason = String(cString: X509_verify_cert_error_string(verification))
        return TLSError(
            "the server's certificate is not trusted: \(reason)", distrust: TLSError.Distrust(code: verification))
    }
}

extension TLSError.Distrust {
    /// - Parameter code: of OpenSSL's verification (X509_V_ERR).
    fileprivate init(code: Int) {
        switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            self = .unknownIssuer
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .otherHost
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        default: self = .other
        }
    }
}
