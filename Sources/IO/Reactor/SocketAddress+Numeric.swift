import Glibc

extension SocketAddress {
    /// The address in numbers, without its port; nil for a unix socket.
    public var numericHost: String? {
        guard family != AF_UNIX else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withSockaddr { getnameinfo($0, $1, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) }
        guard status == 0 else { return nil }
        return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
