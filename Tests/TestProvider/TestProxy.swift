import Foundation
import Glibc
import Reactor

/// An HTTP proxy on 127.0.0.1 that opens tunnels to ports of this machine, or misbehaves.
public final class TestProxy: Sendable {
    /// The reaction to a CONNECT.
    public enum Manner: Sendable {
        /// Opens a tunnel. The answer comes byte by byte, after an interim one.
        case tunnel
        /// Opens a tunnel for this value of `Proxy-Authorization`, and answers 407 to all others.
        case tunnelFor(String)
        /// Sends these bytes and keeps the connection.
        case say(String)
        case hangUp
        case silence
    }

    public let port: UInt16
    private let listener: Int32
    private let manner: Manner
    private let seen = Locked<[String]>([])

    public struct Failed: Error {}

    public init(_ manner: Manner) throws {
        self.manner = manner
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: 0) else { throw Failed() }
        (listener, port) = try Socket.listen(on: address)
        // The listener blocks, because each connection has its own thread.
        _ = fcntl(listener, F_SETFL, 0)
        let listener = listener
        let serve: @Sendable (Int32) -> Void = { [manner, seen] in TestProxy.serve($0, manner, seen) }
        Thread.detachNewThread {
            while true {
                let client = Glibc.accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread {
                    serve(client)
                    Glibc.close(client)
                }
            }
        }
    }

    /// The received request heads.
    public var heads: [String] { seen.withLock { $0 } }

    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    private static func serve(_ client: Int32, _ manner: Manner, _ seen: Locked<[String]>) {
        var head = ""
        var byte: UInt8 = 0
        while !head.hasSuffix("\r\n\r\n") {
            guard recv(client, &byte, 1, 0) == 1 else { return }
            head.unicodeScalars.append(UnicodeScalar(byte))
        }
        seen.withLock { $0.append(head) }
        switch manner {
        case .tunnel: tunnel(client, head)
        case .tunnelFor(let credentials) where head.contains("\r\nProxy-Authorization: \(credentials)\r\n"):
            tunnel(client, head)
        case .tunnelFor:
            say("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", to: client)
            wait(for: client)
        case .say(let text):
            say(text, to: client)
            wait(for: client)
        case .hangUp: return
        case .silence: wait(for: client)
        }
    }

    private static func tunnel(_ client: Int32, _ head: String) {
        guard let port = head.prefix(while: { $0 != "\r\n" }).split(separator: ":").last?.prefix(while: \.isNumber),
            let number = UInt16(port), let address = SocketAddress(numericHost: "127.0.0.1", port: number),
            let server = try? Socket.connect(to: address)
        else { return }
        defer { Glibc.close(server) }
        for part in "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n" {
            say(String(part), to: client)
        }
        pass(between: client, and: server)
    }

    private static func pass(between client: Int32, and server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, 2, -1) > 0 {
            for (end, other) in [(ends[0], server), (ends[1], client)] where end.revents != 0 {
                let count = recv(end.fd, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == ENOTCONN { continue }
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let more = buffer.withUnsafeBytes { send(other, $0.baseAddress! + sent, count - sent, 0x4000) }
                    if more < 0, errno == EAGAIN {
                        usleep(1000)
                        continue
                    }
                    guard more > 0 else { return }
                    sent += more
                }
            }
        }
    }

    private static func say(_ text: String, to client: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, 0x4000) }
    }

    private static func wait(for client: Int32) {
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {}
    }
}
