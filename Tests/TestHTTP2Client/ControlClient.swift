import Glibc
import Testing

/// A client of a control port: one request on one connection, in blocking calls.
package final class ControlClient {
    private let descriptor: Int32

    package init(port: UInt16) throws {
        descriptor = try Self.connect(port: port)
    }

    /// Returns a connected blocking socket.
    package static func connect(port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Refused() }
        // A request without an answer fails after a minute.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    deinit {
        close(descriptor)
    }

    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.send(descriptor, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Returns the text until the peer ends or `end` has come.
    package func receive(until end: String? = nil) -> String {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
            if let end, received.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// No server listens on the port.
    package struct Refused: Error {}

    package struct Answer {
        package let head: String
        package let body: String
        package var status: Int? { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    }

    package static func ask(
        url: String?, _ target: String, method: String = "GET", body: String = "", host: String = "localhost"
    ) throws -> Answer {
        let url = try #require(url)
        let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
        let client = try ControlClient(port: port)
        client.send(
            "\(method) \(target) HTTP/1.1\r\nhost: \(host)\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = client.receive()
        let end = try #require(answer.firstRange(of: "\r\n\r\n"), "\(answer)")
        return Answer(head: String(answer[..<end.lowerBound]), body: String(answer[end.upperBound...]))
    }
}
