import Glibc

/// A client that says what it likes, byte by byte, on a blocking socket with a deadline.
final class RawClient: Sendable {
    private let descriptor: Int32

    // SOCK_STREAM and MSG_NOSIGNAL, which have other types in other modules.
    private static let streamSocket: Int32 = 1
    private static let noSignal: Int32 = 0x4000

    /// - Parameters:
    ///   - source: the address to come from; all of 127.0.0.0/8 is this machine.
    ///   - room: about how many bytes the kernel takes for it before they are read; nil: as many as it likes.
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

    /// False when the peer takes no more.
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

    /// Says that nothing more will be sent.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes its half, and takes no answer.
    func leave() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// What comes up to and with `mark`; nil when the peer closes or says nothing before.
    func read(until mark: String) -> String? {
        var all: [UInt8] = []
        var byte: UInt8 = 0
        while !all.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
            guard uninterrupted({ recv(descriptor, &byte, 1, 0) }) == 1 else { return nil }
            all.append(byte)
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// What comes until the peer closes; nil when it does not within 30 seconds.
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

    /// Makes a system call again that a signal has interrupted: so ends whatever has a deadline when the process was
    /// stopped and goes on.
    private func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
