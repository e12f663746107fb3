import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A local server that replies to `/drip` byte by byte without end. It answers all other requests at once with success.
final class DrippingServer: Sendable {
    struct NoSocket: Error {}

    let port: UInt16
    private let listener: Int32

    init() throws {
        #if canImport(Darwin)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw NoSocket() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { DrippingServer.serve(connection) }
            }
        }
    }

    /// Accepts no more connections.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32) {
        defer { close(connection) }
        while let request = request(from: connection) {
            guard request.contains("/drip") else {
                let body = #"{"status":"success"}"#
                guard send(connection, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)") else {
                    return
                }
                continue
            }
            guard send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") else { return }
            while send(connection, " ") { usleep(100_000) }
            return
        }
    }

    /// Returns the head of the next request once its body, an empty object, has arrived; nil at the end.
    private static func request(from connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.hasSuffix("\r\n\r\n{}") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    private static func send(_ connection: Int32, _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        #if canImport(Darwin)
            var isSet: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isSet, socklen_t(MemoryLayout<Int32>.size))
            return Darwin.send(connection, bytes, bytes.count, 0) == bytes.count
        #else
            return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        #endif
    }
}
