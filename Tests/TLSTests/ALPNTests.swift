import COpenSSL
import TestCertificates
import Testing

@testable import TLS

// SSL_CTRL_SET_MAX_PROTO_VERSION, which only a macro uses.
private let setMaximumVersion: Int32 = 124

/// Sessions in memory, one of them OpenSSL's own without ALPN.
@Suite("Peers without ALPN")
struct ALPNTests {
    private let maker: CertificateMaker
    private let root: CertificateMaker.Identity
    private let leaf: CertificateMaker.Identity

    init() throws {
        maker = try CertificateMaker()
        root = try maker.make("root")
        leaf = try maker.make("leaf", names: "DNS:localhost", issuer: root)
    }

    /// Carries bytes between a session and a bare one until neither says anything.
    private func shakeHands(
        _ session: TLSSession, _ bare: OpaquePointer, _ input: OpaquePointer, _ output: OpaquePointer
    ) {
        for _ in 0..<10 {
            session.handshake()
            session.takeOutput { bytes in Int(BIO_write(input, bytes.baseAddress, Int32(bytes.count))) }
            SSL_do_handshake(bare)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = BIO_read(output, &buffer, Int32(buffer.count))
            if count > 0 { buffer[..<Int(count)].withUnsafeBytes { session.receive($0) } }
        }
        ERR_clear_error()
    }

    private func expectRefusal(_ progress: TLSSession.Progress) {
        guard case .failed(let error) = progress else {
            Issue.record("not refused: \(progress)")
            return
        }
        #expect(error.description.contains("protocol"))
    }

    @Test("A server that takes no part in ALPN is not spoken to", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func server(version: Int32) throws {
        let context = try TLSContext.client(trust: .file(root.certificateFile), applicationProtocol: "h2")
        let session = try TLSSession.client(context, hostName: "localhost")
        let bareContext = try #require(SSL_CTX_new(TLS_server_method()))
        defer { SSL_CTX_free(bareContext) }
        SSL_CTX_use_certificate_chain_file(bareContext, leaf.certificateFile)
        SSL_CTX_use_PrivateKey_file(bareContext, leaf.keyFile, SSL_FILETYPE_PEM)
        SSL_CTX_ctrl(bareContext, setMaximumVersion, Int(version), nil)
        let (bare, input, output) = try bareSession(bareContext)
        defer { SSL_free(bare) }
        SSL_set_accept_state(bare)
        shakeHands(session, bare, input, output)
        expectRefusal(session.progress)
    }

    @Test("A client that takes no part in ALPN is refused", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func client(version: Int32) throws {
        let context = try TLSContext.server(
            certificateChainFile: leaf.certificateFile, privateKeyFile: leaf.keyFile, applicationProtocol: "h2")
        let session = try TLSSession.server(context)
        let bareContext = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(bareContext) }
        SSL_CTX_ctrl(bareContext, setMaximumVersion, Int(version), nil)
        let (bare, input, output) = try bareSession(bareContext)
        defer { SSL_free(bare) }
        SSL_set_connect_state(bare)
        shakeHands(session, bare, input, output)
        expectRefusal(session.progress)
    }

    @Test(
        "A client without ALPN is served where that is allowed, and one that offers something else is refused",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [nil, "http/1.1", "h2"] as [String?])
    func priorKnowledge(version: Int32, offer: String?) throws {
        let context = try TLSContext.server(
            certificateChainFile: leaf.certificateFile, privateKeyFile: leaf.keyFile, applicationProtocol: "h2",
            requiresNegotiation: false)
        let session = try TLSSession.server(context)
        let bareContext = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(bareContext) }
        SSL_CTX_ctrl(bareContext, setMaximumVersion, Int(version), nil)
        if let offer {
            let list = [UInt8(offer.utf8.count)] + Array(offer.utf8)
            SSL_CTX_set_alpn_protos(bareContext, list, UInt32(list.count))
        }
        let (bare, input, output) = try bareSession(bareContext)
        defer { SSL_free(bare) }
        SSL_set_connect_state(bare)
        shakeHands(session, bare, input, output)
        #expect((session.progress == .established) == (offer != "http/1.1"), "\(session.progress)")
        #expect(session.applicationProtocol == (offer == "h2" ? "h2" : nil))
    }

    private func bareSession(_ context: OpaquePointer) throws -> (OpaquePointer, OpaquePointer, OpaquePointer) {
        let bare = try #require(SSL_new(context))
        let (input, output) = (try #require(BIO_new(BIO_s_mem())), try #require(BIO_new(BIO_s_mem())))
        _ = fanfare_bio_set_mem_eof_return(input, -1)
        _ = fanfare_bio_set_mem_eof_return(output, -1)
        SSL_set_bio(bare, input, output)
        return (bare, input, output)
    }
}
