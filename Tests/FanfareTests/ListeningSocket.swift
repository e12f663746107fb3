import Foundation

/// A socket that listens on a free port of this machine and answers each connection with one text, or not at all.
final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameter text: nil to accept connections and stay silent.
    init(answering text: String?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
        guard let text else { return }
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = recv(client, &buffer, buffer.count, 0)
                _ = Array(text.utf8).withUnsafeBytes {
                    send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                Glibc.close(client)
            }
        }
    }

    /// A port on which no program listens.
    static func freePort() throws -> UInt16 {
        let socket = try ListeningSocket(answering: nil)
        defer { socket.close() }
        return socket.port
    }

    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}
