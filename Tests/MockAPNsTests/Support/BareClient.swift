import COpenSSL
import Glibc
import MockAPNs
import TestHTTP2Client
import Testing

/// An OpenSSL client in blocking calls that offers the given protocols, or has no ALPN.
final class BareClient {
    private let context: OpaquePointer
    private let session: OpaquePointer
    private let descriptor: Int32
    /// True if the handshake succeeded.
    let isEstablished: Bool

    /// - Parameter offer: The protocols; nil for a client without ALPN.
    init(_ mock: TestMock, offer: [String]?) throws {
        context = try #require(SSL_CTX_new(TLS_client_method()))
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        try #require(SSL_CTX_load_verify_locations(context, mock.mock.caFile, nil) == 1)
        if let offer {
            let list = offer.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_CTX_set_alpn_protos(context, list, UInt32(list.count))
        }
        descriptor = try ControlClient.connect(port: mock.mock.port)
        session = try #require(SSL_new(context))
        SSL_set_fd(session, descriptor)
        isEstablished = SSL_connect(session) == 1
        ERR_clear_error()
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
        close(descriptor)
    }

    /// The protocol selected by ALPN.
    var agreed: String? {
        var bytes: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(session, &bytes, &length)
        return bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    }

    func send(_ bytes: [UInt8]) {
        SSL_write(session, bytes, Int32(bytes.count))
    }

    /// Returns the content of the first HEADERS frame; nil if the connection ends before.
    func receiveHeaders() -> [UInt8]? {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            while received.count >= 9 {
                let length = Int(received[0]) << 16 | Int(received[1]) << 8 | Int(received[2])
                guard received.count >= 9 + length else { break }
                if received[3] == 1 { return Array(received[9..<(9 + length)]) }
                received.removeFirst(9 + length)
            }
            let count = SSL_read(session, &buffer, Int32(buffer.count))
            guard count > 0 else { return nil }
            received += buffer[..<Int(count)]
        }
    }
}
