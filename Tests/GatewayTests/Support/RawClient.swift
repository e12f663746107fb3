import Glibc

/// A client that sends arbitrary bytes on a blocking socket with a deadline.
final class RawClient: Sendable {
    private let descriptor: Int32

    // SOCK_STREAM and MSG_NOSIGNAL, whose types differ between modules.
    private static let streamSocket: Int32 = 1
    private static let noSignal: Int32 = 0x4000

    /// - Parameters:
    ///   - source: The local address. All of 127.0.0.0/8 is this machine.
    ///   - room: The approximate receive buffer in bytes; nil for the system's default.
    init(port: Int, from source: String = "127.0.0.1", room: Int32? = nil) throws {
        descriptor = socket(AF_INET, RawClient.streamSocket, 0)
        if var room {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let bound = SocketName.with(source, port: 0) { bind(descriptor, $0, $1) }
        let status = SocketName.with("127.0.0.1", port: UInt16(port)) { connect(descriptor, $0, $1) }
        struct ConnectFailed: Error {}
        guard bound == 0, status == 0 else { throw ConnectFailed() }
    }

    deinit {
        close(descriptor)
    }

    /// Returns false once the peer accepts no more.
    @discardableResult
    func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { bytes in
                uninterrupted { Glibc.send(descriptor, bytes.baseAddress, bytes.count, RawClient.noSignal) }
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Ends the sending direction.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends both directions.
    func leave() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Returns the text up to and with `mark`; nil if the peer closes or pauses for 30 seconds before.
    func read(until mark: String) -> String? {
        var all: [UInt8] = []
        var byte: UInt8 = 0
        while !all.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
            guard uninterrupted({ recv(descriptor, &byte, 1, 0) }) == 1 else { return nil }
            all.append(byte)
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Returns the text until the peer closes; nil if it pauses for 30 seconds before.
    func readToEnd() -> String? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
            if count == 0 || (count < 0 && errno == ECONNRESET) { return String(decoding: all, as: UTF8.self) }
            guard count > 0 else { return nil }
            all += buffer[..<count]
        }
    }

    /// Repeats a system call that a signal has interrupted. Stopping and continuing the process interrupts calls with a
    /// deadline.
    private func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
