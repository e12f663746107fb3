import CLinux
import Glibc
public import TimeCore

/// The result of a read or write on a non-blocking descriptor.
public enum TransferResult: Equatable, Sendable {
    case transferred(Int)
    case wouldBlock
    /// The peer has closed its side (reads only).
    case ended
    case failed(SystemError)
}

/// The system calls on stream sockets. All sockets are non-blocking and close-on-exec. Calls that a signal interrupted
/// are repeated.
public enum Socket {
    /// Returns a socket with a connection attempt in progress. It becomes writable at the end of the attempt.
    public static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
        let descriptor = fanfare_stream_socket(address.family)
        guard descriptor >= 0 else { throw SystemError.last("socket") }
        if address.family != AF_UNIX { setNoDelay(descriptor) }
        let status = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            let error = SystemError.last("connect")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The error of a connection attempt; nil after a success.
    public static func connectionError(_ descriptor: Int32) -> SystemError? {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else {
            return SystemError.last("getsockopt")
        }
        return number == 0 ? nil : SystemError(call: "connect", number: number)
    }

    /// Returns a listening socket and its port.
    public static func listen(on address: SocketAddress, backlog: Int32 = 1024) throws(SystemError) -> (Int32, UInt16) {
        let descriptor = fanfare_stream_socket(address.family)
        guard descriptor >= 0 else { throw SystemError.last("socket") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        for (call, succeeded) in [
            ("bind", { address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0 }),
            ("listen", { Glibc.listen(descriptor, backlog) == 0 }),
        ] where !succeeded() {
            let error = SystemError.last(call)
            close(descriptor)
            throw error
        }
        return (descriptor, port(of: descriptor))
    }

    /// Accepts the next connection; nil if none waits or the kernel refuses it.
    public static func accept(_ listener: Int32) -> Int32? {
        let descriptor = fanfare_accept(listener)
        guard descriptor >= 0 else { return nil }
        setNoDelay(descriptor)
        return descriptor
    }

    /// Receives available data up to the buffer's size; never waits.
    public static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .transferred(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(.last("recv"))
        }
    }

    /// Sends as much as the kernel accepts now; never waits.
    public static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferResult {
        while true {
            let count = fanfare_send(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .transferred(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(.last("send"))
        }
    }

    /// Closes a descriptor.
    public static func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }

    /// Makes the close of this socket a reset, so that the peer sees an abrupt end.
    public static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Enables TCP keepalive: the first probe after `interval` of silence, and three more within the same time.
    public static func keepAlive(_ descriptor: Int32, every interval: TimeInterval) {
        let seconds = Int32(clamping: max(1, interval.nanoseconds / 1_000_000_000))
        for (level, option, number) in [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, seconds),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, seconds / 3)), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
        ] {
            var value = number
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func setNoDelay(_ descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard found else { return 0 }
        return withUnsafeBytes(of: &storage) { raw in
            switch Int32(raw.load(as: sockaddr.self).sa_family) {
            case AF_INET: UInt16(bigEndian: raw.load(as: sockaddr_in.self).sin_port)
            case AF_INET6: UInt16(bigEndian: raw.load(as: sockaddr_in6.self).sin6_port)
            default: 0
            }
        }
    }
}
