import Glibc
import Reactor
import Testing

/// A TCP connection without TLS.
struct RawSocket {
    private let descriptor: Int32

    init(port: UInt16) throws {
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
        descriptor = try Socket.connect(to: address)
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        try #require(Glibc.poll(&poll, 1, 10_000) == 1)
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
    }

    func close() {
        Socket.close(descriptor)
    }
}
