import COpenSSL
import FlatMemory

/// One TLS connection as bytes in, bytes out: OpenSSL on memory buffers, without a system call.
///
/// Owns nothing but the session; who drives it moves ciphertext between `receive`/`takeOutput` and a socket.
/// Not thread-safe: it lives with its driver on one reactor.
public final class TLSSession {
    /// How far a session is.
    public enum Progress: Equatable, Sendable {
        case handshaking
        case established
        /// The peer has closed its side in order (close_notify).
        case closed
        case failed(TLSError)
    }

    /// How far the session is.
    public private(set) var progress = Progress.handshaking

    private let session: OpaquePointer
    private let transport = MemoryTransport()
    private let context: TLSContext

    /// A client's session, for a server that must present a certificate for `hostName` (a DNS name, or an IP address in
    /// numbers).
    public static func client(_ context: TLSContext, hostName: String) throws(TLSError) -> TLSSession {
        let session = try TLSSession(context)
        SSL_set_connect_state(session.session)
        let parameters = SSL_get0_param(session.session)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, hostName) != 1 {
            guard fanfare_ssl_set_tlsext_host_name(session.session, hostName) == 1,
                SSL_set1_host(session.session, hostName) == 1
            else { throw TLSError.last("cannot verify a certificate for the host name \(hostName)") }
        }
        ERR_clear_error()
        return session
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
            // A peer that knows nothing of ALPN completes the handshake without having agreed to anything.
            let agreed = applicationProtocol.map { Array($0.utf8) == context.applicationProtocol }
            progress =
                agreed ?? !context.requiresNegotiation
                ? .established : .failed(TLSError("the peer does not speak the protocol we offer"))
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

    /// How many bytes of ciphertext wait to be sent.
    public var pendingOutput: Int { transport.outgoing.count }

    /// Hands the ciphertext that waits to `send`, which returns how many of its bytes it took; those are dropped.
    public func takeOutput(_ send: (UnsafeRawBufferPointer) -> Int) {
        guard transport.outgoing.count > 0 else { return }
        transport.outgoing.taken(send(transport.outgoing.bytes))
    }

    /// What ALPN agreed on, once established.
    public var applicationProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(session, &bytes, &length)
        guard let bytes, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }

    private func handshakeError() -> TLSError {
        let verification = SSL_get_verify_result(session)
        let error = TLSError.last("the TLS handshake failed")
        guard !context.isServer, verification != X509_V_OK else { return error }
        let reason = String(cString: X509_verify_cert_error_string(verification))
        return TLSError("the server's certificate is not trusted: \(reason)")
    }
}
